type Cell = string | number | null | undefined;

/** Columns as wide as their widest cell, for reading in a terminal. */
export const table = (rows: readonly Record<string, Cell>[]): string => {
  if (rows.length === 0) return '(none)';
  const columns = Object.keys(rows[0]!);
  const text = (cell: Cell): string => (cell === null || cell === undefined ? '-' : String(cell));
  const width = (column: string): number => Math.max(column.length, ...rows.map((row) => text(row[column]).length));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(width(columns[index]!)))
      .join('  ')
      .trimEnd();
  return [line(columns), ...rows.map((row) => line(columns.map((column) => text(row[column]))))].join('\n');
};

/** Prints a result: for people as `human` says it, with `--json` as one JSON value. */
export const print = (json: boolean, value: unknown, human: string): void => {
  // Whoever reads may have seen enough, as head has after some lines.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    throw error;
  });
  process.stdout.write(`${json ? JSON.stringify(value) : human}\n`);
};
