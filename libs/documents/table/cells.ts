/** A cell as text; `null` is JSON's null, which is shown as such. */
export type Cell = string | null;

/**
 * A header row and body rows, each with as many cells as the header. `groups` are the headings above the columns;
 * neighbours with the same one are below one heading.
 */
export type Table = { header: string[]; groups?: (string | undefined)[]; rows: Cell[][] };

/** Currencies in letters, beside codes such as EUR and signs such as € and US$. */
const currencyNames = [
  'Ar|B/|Br|Bs|DA|DH|DT|F|FCFA|Ft|Gs|K|KM|Kč|Ksh|KSh|L|Lekë|Q|R|RF|RM|Rp|Rs|S/|TL|TSh|USh|kr|lei|soʻm|zł',
  'грн|ден|дин|лв|р|руб|сом|сум|रु|रू|नेरू|රු|ብር|元|円|원|تومان|ریال',
  String.raw`F\sCFA|(?:\p{Script=Arab}\.){1,2}\p{Script=Arab}?`,
].join('|');
const sign = String.raw`[-+\u2212]?`;
const plain = String.raw`\p{Nd}+(?:[.,\u066b]\p{Nd}+)?(?:[eE][+-]?\p{Nd}+)?`;
/** In India, the groups above thousands have two digits. */
const grouped = String.raw`\p{Nd}{1,3}(?:,\p{Nd}{2})*(?:[.,'\u2019\u066c\u00a0\u202f ]\p{Nd}{3})+(?:[.,\u066b]\p{Nd}+)?`;
const symbol = String.raw`[A-Z]{0,3}\p{Sc}(?:[A-Z]{2})?`;
const before = String.raw`%|${symbol}|[A-Z]{3}\s|(?:${currencyNames})(?:\.?\s|\.)|R[pM](?=\p{Nd})|CHF|Bs\.S`;
const after = String.raw`[%\u066a‰]|${symbol}|[A-Z]{3}|(?:${currencyNames})\.?`;
const amount = new RegExp(
  String.raw`^\(?${sign}\s?(?:${before})?\s?${sign}(?:${grouped}|${plain})\s?(?:${after})?\)?$`,
  'u',
);
const code = /^[0٠۰०০]\p{Nd}/u;
const directionMarks = /[\u200e\u200f\u061c]/g;

/**
 * Whether a text is a quantity: signs, thousands separators, a currency and per cent are allowed, in all digits. Codes
 * with a leading zero are not quantities.
 */
export const isQuantity = (text: string): boolean => {
  if (text.length > 40) return false;
  const visible = text.replace(directionMarks, '');
  return amount.test(visible) && !code.test(visible);
};

/** Whether all cells that are not empty are quantities, and there is one. */
export const isNumericColumn = (cells: Iterable<Cell>): boolean => {
  let filled = false;
  for (const cell of cells) {
    const text = cell?.trim() ?? '';
    if (text === '') continue;
    if (!isQuantity(text)) return false;
    filled = true;
  }
  return filled;
};
