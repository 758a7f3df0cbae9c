import { parse } from 'csv-parse/sync';

/** In order of preference if the text does not decide. */
export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

const sampledRecords = 25;
const sampledCharacters = 64 * 1024;
const declaration = /^sep=([,;\t|])\r?\n/i;

/** Finds the delimiter. Spreadsheets may declare it in a first line such as `sep=;`, which is not part of `body`. */
export const detectDelimiter = (text: string): { delimiter: Delimiter; body: string; skippedLines: number } => {
  const declared = declaration.exec(text);
  if (declared) return { delimiter: declared[1] as Delimiter, body: text.slice(declared[0].length), skippedLines: 1 };
  const sample = text.slice(0, sampledCharacters);
  const best = delimiters
    .map((delimiter) => ({ delimiter, score: scoreDelimiter(sample, delimiter) }))
    .reduce((highest, candidate) => (candidate.score > highest.score ? candidate : highest));
  return { delimiter: best.delimiter, body: text, skippedLines: 0 };
};

/** How well a delimiter fits the sample: many fields, and the same number in every record. */
const scoreDelimiter = (sample: string, delimiter: Delimiter): number => {
  const widths = fieldCounts(sample, delimiter);
  const first = widths[0] ?? 1;
  if (first < 2) return 0;
  const share = widths.filter((width) => width === first).length / widths.length;
  return share * share * (1 + Math.log2(first) / 100);
};

const fieldCounts = (sample: string, delimiter: Delimiter): number[] => {
  const widths: number[] = [];
  try {
    // The last record of the sample may be cut off, so malformed records are ignored.
    parse(sample, {
      delimiter,
      to: sampledRecords,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: (record: string[]) => void widths.push(record.length),
    });
  } catch {
    return widths;
  }
  return widths;
};
