import { maxComparedLength, plainFormOf, similarTo } from '#libs/spelling/similar.ts';
import { suggestForOtherName } from '#libs/spelling/other-names.ts';
import { isMillimetres, marginHint, marginIn, marginWithUnit, type Suggestion } from '#libs/spelling/suggestion.ts';

/** What the caller probably meant by an unknown field with this value; null if nothing is similar. */
export const suggestField = (name: string, value: unknown, allowed: readonly string[]): Suggestion | null => {
  if (name.length > maxComparedLength) return null;
  const plain = plainFormOf(name);
  const sameName = allowed.find((field) => plainFormOf(field) === plain);
  // Other services have other units: 1 is an inch in Gotenberg.
  if (sameName !== undefined && sameName.startsWith('margin_') && /[A-Z]/.test(name)) {
    const example = marginWithUnit(value);
    return { fields: [sameName], hint: marginHint, ...(example === null ? {} : { example: { [sameName]: example } }) };
  }
  if (sameName !== undefined) return { fields: [sameName] };
  const other = suggestForOtherName(name, value, new Set(allowed));
  if (other) return other;
  const near = similarTo(name, allowed);
  return near === undefined ? null : { fields: [near] };
};

/** Other words for values, in the form of `plainFormOf`, by field. */
const otherValues: Record<string, Record<string, string>> = {
  mode: {
    CONVERT: 'html markdown document file url source conversion htmltopdf pdf print',
    RENDER: 'template templates mailmerge fill generate stored',
    COMPOSE: 'merge combine join concat concatenate assemble append parts',
  },
  input_type: {
    html: 'htm xhtml texthtml applicationxhtmlxml webpage rawhtml html5',
    markdown: 'md mdown mkd gfm textmarkdown textxmarkdown commonmark',
    docx: 'word officedocument applicationvndopenxmlformatsofficedocumentwordprocessingmldocument',
    doc: 'msword applicationmsword word97 word2003',
    odt: 'opendocument libreoffice writer opendocumenttext applicationvndoasisopendocumenttext',
    rtf: 'richtext applicationrtf textrtf',
    xlsx: 'excel xls workbook applicationvndopenxmlformatsofficedocumentspreadsheetmlsheet',
    pptx: 'powerpoint ppt slides presentation',
    csv: 'textcsv applicationcsv spreadsheet table',
    json: 'applicationjson textjson object',
    xml: 'applicationxml textxml',
    url: 'uri link href address website web http https',
  },
  orientation: {
    landscape: 'horizontal horizontally wide l quer querformat paysage true',
    portrait: 'vertical vertically tall upright p hochformat false',
  },
  wait_for: {
    networkidle: 'networkidle0 networkidle2 networkalmostidle idle',
    domcontentloaded: 'dom domready domcontent domload interactive',
    load: 'loaded onload complete',
  },
  emulate_media: { print: 'paper printer pdf', screen: 'display browser monitor' },
  type: {
    string: 'text str char varchar',
    number: 'int integer float double decimal currency money numeric',
    boolean: 'bool flag yesno',
    array: 'list collection items table',
    object: 'map dict dictionary record hash',
    date: 'datetime timestamp time',
  },
};

const valueByWord = new Map(
  Object.entries(otherValues).flatMap(([field, words]) =>
    Object.entries(words).flatMap(([value, others]) =>
      others.split(' ').map((other) => [`${field} ${other}`, value] as const),
    ),
  ),
);

/** `DIN A4`, `iso-a4` and `A4 landscape` without what is not the size. */
const withoutPageWords = (plain: string): string =>
  plain.replace(/^(?:din|iso|us|na|ansi|paper)/, '').replace(/(?:paper|portrait|landscape|size)$/, '');

/** The valid value that the caller probably meant; null if none is similar. */
export const suggestValue = (field: string, value: unknown, valid: readonly string[]): string | null => {
  const text = typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string' || text.length > 2 * maxComparedLength) return null;
  const plain = plainFormOf(text);
  const find = (form: string): string | undefined => valid.find((candidate) => plainFormOf(candidate) === form);
  const other = valueByWord.get(`${field} ${plain}`);
  const found =
    find(plain) ??
    (other !== undefined && valid.includes(other) ? other : undefined) ??
    (field === 'page_size' ? find(withoutPageWords(plain)) : undefined) ??
    similarTo(text, valid);
  return found ?? null;
};

/**
 * The milliseconds of a duration such as `2s` or `500ms`; undefined for other texts and for more than `wait_time` may
 * be.
 */
const millisecondsIn = (text: string): number | undefined => {
  const [, number, unit] = /^(\d{1,4}(?:\.\d{1,3})?)\s*(ms|s)?$/i.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * (unit?.toLowerCase() === 's' ? 1000 : 1));
  return number !== undefined && milliseconds <= 5000 ? milliseconds : undefined;
};

const yes = /^(?:true|yes|on|1)$/i;
const no = /^(?:false|no|off|0)$/i;

/** Examples of the fields that are objects or lists. */
const structures: Readonly<Record<string, unknown>> = {
  watermark: { text: 'DRAFT' },
  page_numbers: { format: '{page} / {total}' },
  encryption: { user_password: '...' },
  metadata: { title: 'Offer 118', author: 'Ines Prado' },
  factur_x: { xml: '...' },
  url_headers: { 'X-Tenant': 'north' },
  webhook_headers: { 'X-Tenant': 'north' },
  url_cookies: [{ name: 'session', value: '...' }],
  attachments: [{ name: 'values.csv', data: 'YSxiCjEsMgo=' }],
  default_options: { page_size: 'A5' },
  variables: [{ name: 'customer', type: 'string', required: true }],
  labels: { en: { total: 'Total' } },
};

/**
 * A value of the right type for the example in an error: for objects and lists a fixed one, for numbers and booleans the
 * one that the value of a wrong type means; undefined if there is none.
 */
export const exampleOfType = (field: string, value: unknown, expected: string): unknown => {
  if (['object', 'array', 'record'].includes(expected))
    return Object.hasOwn(structures, field) ? structures[field] : undefined;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, maxComparedLength) : '';
  if (expected === 'boolean') return yes.test(text) ? true : no.test(text) ? false : undefined;
  if (expected !== 'number' && expected !== 'int') return undefined;
  if (isMillimetres(field))
    return marginIn(value) ?? (typeof value === 'string' && field.startsWith('margin_') ? '20mm' : undefined);
  if (field === 'wait_time') return millisecondsIn(text);
  return /^-?\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
};
