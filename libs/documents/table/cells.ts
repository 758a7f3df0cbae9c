/** A cell as text; `null` is JSON's null, which is shown as such. */
export type Cell = string | null;

/**
 * A header row and body rows, each with as many cells as the header. `groups` are the headings above the columns;
 * neighbours with the same one are below one heading.
 */
export type Table = { header: string[]; groups?: (string | undefined)[]; rows: Cell[][] };

const plain = String.raw`\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?`;
const grouped = String.raw`\d{1,3}(?:[.,'\u2019\u00a0\u202f ]\d{3})+(?:[.,]\d+)?`;
const amount = new RegExp(
  String.raw`^\(?[-+\u2212]?\s?(?:\p{Sc}|[A-Z]{3}\s)?\s?[-+\u2212]?(?:${grouped}|${plain})\s?(?:%|‰|\p{Sc}|[A-Z]{3})?\)?$`,
  'u',
);
const code = /^0\d/;

/**
 * Whether a text is a quantity: signs, thousands separators, a currency and per cent are allowed. Codes with a leading
 * zero are not quantities.
 */
export const isQuantity = (text: string): boolean => text.length <= 40 && amount.test(text) && !code.test(text);

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
