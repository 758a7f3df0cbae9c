import { escapeMarkup } from '#libs/markup/escape.ts';

/** A line of the table of contents: `level` 0 is a part, and `link` a place as in `part:2#heading=3`. */
export type ContentsEntry = { text: string; level: number; page: string; link: string };

/** The word for a table of contents, by language. */
const titles: Record<string, string> = {
  ar: 'المحتويات',
  cs: 'Obsah',
  da: 'Indhold',
  de: 'Inhalt',
  el: 'Περιεχόμενα',
  en: 'Contents',
  es: 'Índice',
  fi: 'Sisällys',
  fr: 'Sommaire',
  he: 'תוכן העניינים',
  hu: 'Tartalom',
  it: 'Indice',
  ja: '目次',
  ko: '목차',
  nb: 'Innhold',
  nl: 'Inhoud',
  no: 'Innhold',
  pl: 'Spis treści',
  pt: 'Índice',
  ro: 'Cuprins',
  ru: 'Содержание',
  sv: 'Innehåll',
  tr: 'İçindekiler',
  uk: 'Зміст',
  zh: '目录',
};

const rightToLeft = new Set(['ar', 'he', 'fa', 'ur']);

/** The title of a table of contents in the language of a tag; in English if the language is unknown. */
export const contentsTitle = (language: string): string =>
  titles[language.split('-')[0]!.toLowerCase()] ?? titles['en']!;

const style = `
body { font-family: 'Liberation Sans', Arial, sans-serif; font-size: 11pt; line-height: 1.4; margin: 0 }
h1 { font-size: 20pt; margin: 0 0 6mm }
ul { list-style: none; margin: 0; padding: 0 }
li { break-inside: avoid; margin: 0.5mm 0 }
li.l0 { font-weight: bold; margin-top: 2.5mm }
li.l1 { padding-inline-start: 6mm } li.l2 { padding-inline-start: 12mm } li.l3 { padding-inline-start: 18mm }
a { display: grid; grid-template-columns: auto 1fr 4em; color: inherit; text-decoration: none }
a > span { overflow-wrap: anywhere }
i { border-bottom: 0.4mm dotted #999; margin: 0 1.5mm 1.2mm }
b { font-weight: inherit; text-align: end; align-self: end; white-space: nowrap }
`;

/** The table of contents as a document. The pages have a fixed width, so that they do not change the lines. */
export const contentsHtml = (title: string, language: string, entries: readonly ContentsEntry[]): string => {
  const direction = rightToLeft.has(language.split('-')[0]!.toLowerCase()) ? ' dir="rtl"' : '';
  const items = entries.map(
    ({ text, level, page, link }) =>
      `<li class="l${level}"><a href="${link}"><span>${escapeMarkup(text)}</span><i></i><b>${escapeMarkup(page)}</b></a></li>`,
  );
  return (
    `<!doctype html><html lang="${escapeMarkup(language)}"${direction}><head><meta charset="utf-8"><title>${escapeMarkup(title)}</title>` +
    `<style>${style}</style></head><body><h1>${escapeMarkup(title)}</h1><ul>${items.join('')}</ul></body></html>`
  );
};
