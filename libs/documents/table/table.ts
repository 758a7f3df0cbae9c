/** A cell as text; `null` is the value null of JSON, which is shown as such. */
export type Cell = string | null;

/** A header row and body rows, each with as many cells as the header. */
export type Table = { header: string[]; rows: Cell[][] };
