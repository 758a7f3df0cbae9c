import type { JsonContainer, JsonValue } from '../json/parse.ts';
import type { Cell } from '../table/cells.ts';

export { isContainer, type JsonContainer, type JsonValue } from '../json/parse.ts';
type Scalar = Exclude<JsonValue, JsonContainer>;

const maxJoinedItems = 50;
const maxJoinedCharacters = 300;
const maxCompactCharacters = 120;

/** A scalar as text; null for JSON's null. */
const scalarCell = (value: Scalar): Cell => (value.type === 'null' ? null : value.text);

/** A small array of scalars as one text; undefined for anything else. */
const joined = (value: JsonContainer): string | undefined => {
  if (value.type !== 'array' || value.items.length === 0 || value.items.length > maxJoinedItems) return undefined;
  const texts: string[] = [];
  for (const item of value.items) {
    // A comma or an empty text would make the join ambiguous.
    if (item.type === 'array' || item.type === 'object' || item.text === '' || item.text.includes(', '))
      return undefined;
    texts.push(item.text);
  }
  const text = texts.join(', ');
  return text.length <= maxJoinedCharacters ? text : undefined;
};

/** A small value as JSON text; undefined if it is long. */
const compact = (value: JsonValue, budget = maxCompactCharacters): string | undefined => {
  if (value.type === 'string') return value.text.length > budget ? undefined : JSON.stringify(value.text);
  if (value.type !== 'array' && value.type !== 'object') return value.text;
  const parts: string[] = [];
  let left = budget;
  const entries: [string | undefined, JsonValue][] =
    value.type === 'array' ? value.items.map((item) => [undefined, item]) : value.entries;
  for (const [key, item] of entries) {
    const text = compact(item, left);
    if (text === undefined) return undefined;
    const part = key === undefined ? text : `${JSON.stringify(key)}: ${text}`;
    left -= part.length + 2;
    if (left < 0) return undefined;
    parts.push(part);
  }
  const [open, close] = value.type === 'array' ? ['[', ']'] : ['{', '}'];
  return `${open}${parts.join(', ')}${close}`;
};

/** A value in one cell. `isCompact` if it is written as JSON. Undefined if it is too large for a cell. */
export const cellOf = (value: JsonValue): { cell: Cell; isCompact: boolean } | undefined => {
  if (value.type !== 'array' && value.type !== 'object') return { cell: scalarCell(value), isCompact: false };
  const list = joined(value);
  if (list !== undefined) return { cell: list, isCompact: false };
  const text = compact(value);
  return text === undefined ? undefined : { cell: text, isCompact: true };
};
