import { CsvError, parse } from 'csv-parse/sync';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { htmlDocument } from '../html-document.ts';
import { languageOf } from '../language/detect.ts';
import { type ConversionContext, inputError } from '../input.ts';
import type { Table } from '../table/cells.ts';
import { tableToHtml, tableLimits } from '../table/table-html.ts';
import { titleFromFileName } from '../title.ts';

/** In order of preference if the text does not decide. */
export const delimiters = [',', ';', '\t', '|'] as const;
type Delimiter = (typeof delimiters)[number];

const sampledRecords = 25;
const sampledCharacters = 64 * 1024;
const declaration = /^sep=([,;\t|])(?:\r\n?|\n)/i;
/** All of them in one file, if it was put together from several. By itself, csv-parse only takes the first that it finds. */
const lineEnds = ['\r\n', '\n', '\r'];

/** Finds the delimiter. Spreadsheets may declare it in a first line such as `sep=;`, which is not part of `body`. */
export const detectDelimiter = (text: string): { delimiter: Delimiter; body: string; skippedLines: number } => {
  const declared = declaration.exec(text);
  if (declared) return { delimiter: declared[1] as Delimiter, body: text.slice(declared[0].length), skippedLines: 1 };
  const sample = { text: text.slice(0, sampledCharacters), isCutOff: text.length > sampledCharacters };
  const best = delimiters
    .map((delimiter) => ({ delimiter, score: scoreDelimiter(sample, delimiter) }))
    .reduce((highest, candidate) => (candidate.score > highest.score ? candidate : highest));
  // Each record of a file with semicolons can have the same decimal commas. The opposite, semicolons in each record and in
  // the header, is rare.
  const delimiter = best.delimiter === ',' && haveOneWidth(fieldCounts(sample, ';')) ? ';' : best.delimiter;
  return { delimiter, body: text, skippedLines: 0 };
};

type Sample = { text: string; isCutOff: boolean };

const haveOneWidth = ([first = 1, ...others]: number[]): boolean =>
  first >= 2 && others.every((width) => width === first);

/** How well a delimiter fits the sample: many fields, and the same number in every record. */
const scoreDelimiter = (sample: Sample, delimiter: Delimiter): number => {
  const widths = fieldCounts(sample, delimiter);
  const first = widths[0] ?? 1;
  if (first < 2) return 0;
  const share = widths.filter((width) => width === first).length / widths.length;
  return share * share * (1 + Math.log2(first) / 100);
};

/** The number of fields of each of the first records. A malformed record counts 0 and ends the list. */
const fieldCounts = ({ text, isCutOff }: Sample, delimiter: Delimiter): number[] => {
  const widths: number[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: lineEnds,
      to: sampledRecords,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (record: string[]) => void widths.push(record.length),
    });
  } catch (error) {
    // A record that the sample cuts off inside quotes is not malformed.
    if (!isCutOff || (error as CsvError).code !== 'CSV_QUOTE_NOT_CLOSED') widths.push(0);
  }
  return widths;
};

type NumberedRecord = { record: string[]; info: { lines: number } };

/**
 * Parses CSV (RFC 4180, with the delimiter detected).
 * @throws ApiError with the line, for unmatched quotes and rows of another length than the header
 */
export const parseCsv = (text: string): Table => {
  const { delimiter, body, skippedLines } = detectDelimiter(text);
  // A line of white space would be a row with one empty cell.
  const records = body.trim() === '' ? [] : parseRecords(body, delimiter, skippedLines);
  const [first, ...rest] = records;
  if (!first) throw inputError('csv', 'The CSV has no rows.', { details: 'no rows', line: 1 });
  checkSize(first.record.length, records.length);
  const header = first.record;
  return { header, rows: rest.map((numberedRecord) => fitToHeader(numberedRecord, header.length, skippedLines)) };
};

const parseRecords = (body: string, delimiter: string, skippedLines: number): NumberedRecord[] => {
  try {
    return parse(body, {
      delimiter,
      record_delimiter: lineEnds,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }) as unknown as NumberedRecord[];
  } catch (error) {
    if (error instanceof CsvError) throw malformedCsvError(error, skippedLines);
    throw error;
  }
};

const malformedCsvError = (error: CsvError, skippedLines: number) => {
  const line = Number(error['lines'] ?? 1) + skippedLines;
  const reason = explanations[error.code] ?? error.message;
  return inputError('csv', `The CSV is malformed near line ${line}: ${reason}.`, { details: reason, line });
};

const explanations: Partial<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted field is never closed',
  INVALID_OPENING_QUOTE:
    'a quote is inside a field that does not begin with one; quote the whole field and double the quotes in it',
  CSV_INVALID_CLOSING_QUOTE:
    'a closing quote is followed by something else than a delimiter; double the quotes inside a quoted field',
};

const checkSize = (columns: number, rows: number): void => {
  if (columns > tableLimits.columns) throw tooLargeError('columns', columns, tableLimits.columns);
  if (columns * rows > tableLimits.cells) throw tooLargeError('cells', columns * rows, tableLimits.cells);
};

const tooLargeError = (what: 'columns' | 'cells', count: number, limit: number) =>
  inputError('csv', `The CSV has ${count} ${what}; at most ${limit} can be printed.`, {
    details: { [what]: count, limit },
  });

/**
 * Spreadsheets leave out empty fields at the end of a row, or add some. Any other difference would put values under the
 * wrong headings.
 */
const fitToHeader = ({ record, info }: NumberedRecord, width: number, skippedLines: number): string[] => {
  if (record.length === width) return record;
  const surplus = record.slice(width);
  if (record.length > width && surplus.every((field) => field === '')) return record.slice(0, width);
  const line = info.lines + skippedLines;
  const count = `${record.length} ${record.length === 1 ? 'field' : 'fields'}`;
  throw inputError(
    'csv',
    `The row that ends on line ${line} has ${count}, but the header has ${width}. ` +
      'Quote fields that contain the delimiter or a line break.',
    {
      details: `${count} where the header has ${width}`,
      line,
    },
  );
};

/** Converts CSV to a table with a repeated header row. @throws ApiError */
export const convertCsv = (text: string, _maxImages?: number | null, context?: ConversionContext): PreparedDocument => {
  const language = languageOf(text, context);
  return scriptFreeDocument(
    htmlDocument({
      title: titleFromFileName(context?.fileName) ?? 'CSV',
      language,
      styleSheets: ['table'],
      body: tableToHtml(parseCsv(text), { textWidthMm: context?.textWidthMm, language }),
    }),
    'made from CSV',
  );
};
