type Data = Record<string, unknown>;

/** Changes the values in template data. `name` is the field of a value, or of the list that holds it. */
type Change = {
  text?: (text: string, name: string) => string;
  number?: (value: number, name: string) => number;
  list?: (items: readonly unknown[], name: string) => readonly unknown[];
};

/** Currencies, dates and URLs of images must stay as they are. */
const isFixed = (text: string): boolean => /^[A-Z]{3}$|^\d{4}-\d\d-\d\d/.test(text);

/** A copy of template data with changed values. */
export const changedData = (data: Data, { text, number, list }: Change): Data => {
  const visit = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isFixed(value) ? value : (text?.(value, name) ?? value);
    if (typeof value === 'number')
      return name === 'percent' || name === 'rate' ? value : (number?.(value, name) ?? value);
    if (Array.isArray(value))
      return (list?.(value, name) ?? value).map((one) => visit(one, Array.isArray(one) ? 'row' : name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, visit(one, field)]));
  };
  return visit(data, '') as Data;
};

/** The rows of a long list. Each template needs several pages for them. */
export const longListRows = 150;

/** The length of the lists that callers can make long. The design of the template fixes the other lists. */
const longLists: Record<string, number> = {
  items: longListRows,
  lines: longListRows,
  rows: longListRows,
  bars: longListRows,
  enclosures: longListRows,
  paragraphs: 30,
};

const repeated = (items: readonly unknown[], count: number): unknown[] =>
  Array.from(
    { length: items.length === 0 ? 0 : Math.max(count, items.length) },
    (_, index) => items[index % items.length],
  );

/** Puts these texts in turn in the place of all. */
const everyText =
  (...replacements: string[]) =>
  (data: Data) => {
    let count = 0;
    return changedData(data, { text: () => replacements[count++ % replacements.length]! });
  };

/** Data that tests the layout of a template, made from its sample data. */
export const hostileData: Record<string, (sample: Data) => Data> = {
  'long words': (sample) => changedData(sample, { text: (text) => `${'Donaudampfschifffahrt'.repeat(6)} ${text}` }),
  'long texts': (sample) =>
    changedData(sample, { text: (text) => `${text} `.repeat(1 + Math.ceil(240 / text.length)).trim() }),
  'long lists': (sample) => changedData(sample, { list: (items, name) => repeated(items, longLists[name] ?? 0) }),
  /** As on a credit note. Addresses hold no numbers, so one render shows both. */
  'long addresses and negative numbers': (sample) =>
    changedData(sample, {
      list: (items, name) => repeated(items, name === 'address' ? 15 : 0),
      number: (value) => -value,
    }),
  'empty lists': (sample) => changedData(sample, { list: () => [] }),
  'huge numbers': (sample) => changedData(sample, { number: (value) => value * 1e15 }),
  'the largest numbers': (sample) => changedData(sample, { number: (value) => (value === 0 ? 0 : -Number.MAX_VALUE) }),
  'Arabic and Hebrew': everyText(
    'شركة النور للتجارة والمقاولات (2026) ABC-12',
    'חברת האור למסחר ולבנייה, 15%',
    'شركة النور',
  ),
  'Chinese and Japanese': everyText(
    '设计博物馆展览目录与排版服务有限公司，第三次修订版',
    '株式会社デザインミュージアムの展覧会カタログの制作',
  ),
  emoji: everyText('👩🏽‍🚀🎨👨‍👩‍👧‍👦 Team 🇳🇴 ✅'),
  'special characters': everyText('<b>&amp;</b> "\'`=</style><script>{{x}}%0A'),
};
