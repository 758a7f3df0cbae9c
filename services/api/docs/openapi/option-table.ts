import type { z } from 'zod';
import { pageRequestFields } from '#contracts/http/page-request.ts';
import { namedRenderOptionFields } from '#contracts/http/render-options.ts';
import { webhookFields } from '#contracts/http/webhook.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';

type Value = string | number | boolean | null;
type Schema = Json & {
  type?: string;
  enum?: Value[];
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: Value;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};

type OptionName = keyof typeof namedRenderOptionFields;

/** The options by what they are for, in the order of the reference. */
const optionGroups = {
  Page: [
    ...(['page_size', 'width', 'height', 'orientation', 'margin_top', 'margin_bottom', 'margin_left'] as const),
    ...(['margin_right', 'prefer_css_page_size', 'page_ranges'] as const),
  ],
  'Header and footer': ['header_html', 'footer_html', 'header_height', 'footer_height'],
  'How the document is printed': [
    ...(['print_background', 'scale', 'emulate_media', 'wait_for', 'wait_time', 'wait_for_selector'] as const),
    ...(['base_url', 'locale', 'time_zone'] as const),
  ],
  'Office documents': ['docx_layout', 'one_page_per_sheet'],
  'Standards, structure and metadata': ['conformance', 'tagged', 'outline', 'metadata'],
  'Attachments and electronic invoices': ['attachments', 'factur_x'],
  'Watermark, page numbers and encryption': ['watermark', 'page_numbers', 'encryption'],
  'Images and thumbnails': ['output', 'dpi', 'quality', 'transparent', 'thumbnail'],
  'The file': ['file_name', 'keep_pdf'],
} as const satisfies Record<string, readonly OptionName[]>;

// An option without a group does not compile.
type Grouped = (typeof optionGroups)[keyof typeof optionGroups][number];
const namesByGroup: Record<string, readonly ([OptionName] extends [Grouped] ? OptionName : never)[]> = optionGroups;

const rangeOf = ({ minimum, maximum }: Schema): string =>
  minimum === undefined || maximum === undefined ? 'number' : `${minimum} to ${maximum}`;

/** The allowed values of an option in a few words. */
const allowedValues = (schema: Schema): string => {
  if (schema.anyOf) {
    const members = schema.anyOf.map(allowedValues);
    const isLength = members.length === 2 && schema.anyOf[1]?.pattern !== undefined;
    return isLength ? `${members[0]}, or text with a unit` : members.join(', ');
  }
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  switch (schema.type) {
    case 'number':
    case 'integer':
      return rangeOf(schema);
    case 'boolean':
      return '`true`, `false`';
    case 'null':
      return '`null`';
    case 'array':
      return 'list';
    case 'object':
      return 'object';
    default:
      return 'text';
  }
};

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');

/** The rows of an option and of the fields in it, such as `watermark.text` and `attachments[].name`. */
const rowsOf = (name: string, schema: Schema): string[] => {
  const isShown = !['undefined', 'object'].includes(typeof schema.default);
  const initial = !isShown ? '' : `\`${schema.default}\``;
  const row = `| \`${name}\` | ${initial} | ${cell(allowedValues(schema))} | ${cell(schema.description ?? '')} |`;
  const fields = Object.entries(schema.properties ?? schema.items?.properties ?? {});
  const prefix = schema.properties ? `${name}.` : `${name}[].`;
  return [row, ...fields.flatMap(([field, inner]) => rowsOf(`${prefix}${field}`, inner))];
};

const tableOf = (fields: Record<string, z.ZodType>): string =>
  [
    '| Option | Default | Allowed | Meaning |',
    '|---|---|---|---|',
    ...Object.entries(fields).flatMap(([name, field]) => rowsOf(name, jsonSchemaOf(field, 'input') as Schema)),
  ].join('\n');

/** Every option of a render with its default, its allowed values and its meaning: tables in Markdown. */
export const optionTables = (): string =>
  [
    ...Object.entries(namesByGroup).flatMap(([group, names]) => [
      `**Options: ${group}**`,
      tableOf(Object.fromEntries(names.map((name) => [name, namedRenderOptionFields[name]]))),
    ]),
    '**Options for the input type `url`**',
    tableOf(pageRequestFields),
    '**Options of the callback**',
    tableOf(webhookFields),
  ].join('\n\n');
