/** What is above a group of columns, by language; `#` is the range, such as 1–5, and `*` the number of all columns. */
const captions: Record<string, string> = {
  ar: 'الأعمدة # من *',
  cs: 'Sloupce # z *',
  da: 'Kolonne # af *',
  de: 'Spalten # von *',
  el: 'Στήλες # από *',
  en: 'Columns # of *',
  es: 'Columnas # de *',
  fi: 'Sarakkeet # / *',
  fr: 'Colonnes # sur *',
  he: 'עמודות # מתוך *',
  hu: 'Oszlopok: # / *',
  it: 'Colonne # di *',
  ja: '列 # / *',
  ko: '열 # / *',
  nb: 'Kolonne # av *',
  nl: 'Kolommen # van *',
  no: 'Kolonne # av *',
  pl: 'Kolumny # z *',
  pt: 'Colunas # de *',
  ro: 'Coloanele # din *',
  ru: 'Столбцы # из *',
  sv: 'Kolumn # av *',
  tr: 'Sütunlar # / *',
  uk: 'Стовпці # з *',
  zh: '列 # / *',
};

/**
 * The HTML above a group of columns of a table that is too wide for the page; nothing if there is one group. `columns` are
 * the indexes in the group, of which all but the first group repeat column 0.
 */
export const columnsCaption = (
  columns: readonly number[],
  group: { index: number; count: number },
  columnCount: number,
  language = 'en',
): string => {
  if (group.count === 1) return '';
  const shown = group.index === 0 ? columns : columns.slice(1);
  const range = `${(shown[0] ?? 0) + 1}–${(shown.at(-1) ?? 0) + 1}`;
  const caption = captions[language.split('-')[0]!.toLowerCase()] ?? captions['en']!;
  return `<p class="part">${caption.replace('#', range).replace('*', String(columnCount))}</p>\n`;
};
