import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { Select, TextField } from './fields.tsx';
import { AttachmentFields, FacturXFields, MetadataFields, StandardFields } from './DocumentOptionFields.tsx';
import { EncryptionFields, PageNumberFields, WatermarkFields } from './NestedOptionFields.tsx';
import { type OptionGroup, type OptionGroupId, OptionGroups } from './OptionGroups.tsx';
import { type RenderOptionValues, textOf } from './option-values.ts';
import { ThumbnailFields } from './ThumbnailFields.tsx';
import '../styles/options.css';

const texts = strings.renderOptions;

type OptionName = keyof typeof texts.names;

/** How an option is edited, with its default as text. */
type Field =
  | { name: OptionName; kind: 'choice'; values: readonly string[]; initial: string }
  | { name: OptionName; kind: 'boolean'; initial: boolean }
  | { name: OptionName; kind: 'number' | 'length' | 'text' | 'html'; initial?: string };

const pageSizes =
  'A4 Letter A5 A3 Legal A6 A0 A1 A2 A7 A8 A9 A10 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 JIS-B4 JIS-B5 Executive Tabloid';

const margin = (name: OptionName, initial: string): Field => ({ name, kind: 'length', initial });

const groups: readonly { id: OptionGroupId; fields: readonly Field[] }[] = [
  {
    id: 'page',
    fields: [
      { name: 'page_size', kind: 'choice', values: pageSizes.split(' '), initial: 'A4' },
      { name: 'orientation', kind: 'choice', values: ['portrait', 'landscape'], initial: 'portrait' },
      margin('margin_top', '20'),
      margin('margin_bottom', '20'),
      margin('margin_left', '15'),
      margin('margin_right', '15'),
      { name: 'prefer_css_page_size', kind: 'boolean', initial: false },
      { name: 'page_ranges', kind: 'text', initial: '1-3, 5, 8-' },
    ],
  },
  {
    id: 'language',
    fields: [
      { name: 'locale', kind: 'text', initial: 'en' },
      { name: 'time_zone', kind: 'text', initial: 'UTC' },
    ],
  },
  {
    id: 'header',
    fields: [
      { name: 'header_html', kind: 'html' },
      { name: 'footer_html', kind: 'html' },
      { name: 'header_height', kind: 'number', initial: '10' },
      { name: 'footer_height', kind: 'number', initial: '10' },
    ],
  },
  {
    id: 'output',
    fields: [
      { name: 'output', kind: 'choice', values: ['pdf', 'png', 'jpeg', 'webp'], initial: 'pdf' },
      { name: 'dpi', kind: 'number', initial: '150' },
      { name: 'quality', kind: 'number', initial: '85' },
      { name: 'transparent', kind: 'boolean', initial: false },
    ],
  },
  {
    id: 'standards',
    fields: [
      { name: 'tagged', kind: 'boolean', initial: false },
      { name: 'outline', kind: 'boolean', initial: false },
    ],
  },
  {
    id: 'rendering',
    fields: [
      { name: 'docx_layout', kind: 'choice', values: ['faithful', 'semantic'], initial: 'faithful' },
      { name: 'one_page_per_sheet', kind: 'boolean', initial: false },
      { name: 'print_background', kind: 'boolean', initial: true },
      { name: 'scale', kind: 'number', initial: '1' },
      { name: 'emulate_media', kind: 'choice', values: ['print', 'screen'], initial: 'print' },
      { name: 'wait_for', kind: 'choice', values: ['load', 'domcontentloaded', 'networkidle'], initial: 'load' },
      { name: 'wait_time', kind: 'number', initial: '0' },
      { name: 'file_name', kind: 'text' },
    ],
  },
];

/** Options with fields of their own. */
const furtherOptions: Partial<Record<OptionGroupId, readonly string[]>> = {
  output: ['thumbnail'],
  standards: ['conformance'],
};

/** What a text stands for: a number where it is one; nothing for an empty text. */
const valueOf = (kind: Field['kind'], text: string): unknown => {
  if (text === '') return undefined;
  const isNumber = (kind === 'number' || kind === 'length') && /^-?\d+(?:\.\d+)?$/.test(text.trim());
  return isNumber ? Number(text) : text;
};

const withOption = (options: RenderOptionValues, name: OptionName, value: unknown): RenderOptionValues => {
  const { [name]: _, ...others } = options;
  return value === undefined ? others : { ...others, [name]: value };
};

const OptionField = ({
  field,
  value,
  onChange,
  error,
  isReadOnly,
}: {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  error: string | undefined;
  isReadOnly: boolean;
}): ReactElement => {
  const label = texts.names[field.name];
  const text = textOf(value);
  if (field.kind === 'choice' || field.kind === 'boolean') {
    const values =
      field.kind === 'choice'
        ? [...new Set([...field.values, ...(text === '' ? [] : [text])])].map((one) => ({ value: one, label: one }))
        : [
            { value: 'true', label: texts.on },
            { value: 'false', label: texts.off },
          ];
    const initial = field.kind === 'choice' ? field.initial : field.initial ? texts.on : texts.off;
    return (
      <Select
        label={label}
        value={text}
        error={error}
        isDisabled={isReadOnly}
        options={[{ value: '', label: texts.default(initial) }, ...values]}
        onChange={(chosen) =>
          onChange(chosen === '' ? undefined : field.kind === 'boolean' ? chosen === 'true' : chosen)
        }
      />
    );
  }
  const isHtml = field.kind === 'html';
  return (
    <TextField
      label={label}
      value={text}
      error={error}
      isReadOnly={isReadOnly}
      placeholder={field.initial ?? ''}
      {...(isHtml ? { rows: 3, isMonospace: true, description: texts.placeholders } : {})}
      {...(field.kind === 'length' ? { description: texts.millimetres } : {})}
      onChange={(changed) => onChange(valueOf(field.kind, changed))}
    />
  );
};

/** A field for each option of a render, in groups. Options without a field stay as they are. */
export const RenderOptionFields = ({
  options,
  onChange,
  errors,
  isReadOnly = false,
  hasEncryption = false,
  hasInvoiceTemplate = false,
}: {
  options: RenderOptionValues;
  onChange: (options: RenderOptionValues) => void;
  /** Messages by the name of the option. */
  errors: Record<string, string>;
  isReadOnly?: boolean;
  /** A template cannot have passwords. */
  hasEncryption?: boolean;
  /** A template can make the XML of an invoice from its data. */
  hasInvoiceTemplate?: boolean;
}): ReactElement => {
  const nested = { options, onChange, errors, isReadOnly };
  const shown: OptionGroup[] = [
    ...groups.map(({ id, fields }) => ({
      id,
      options: [...fields.map(({ name }) => name), ...(furtherOptions[id] ?? [])],
      fields: (
        <>
          {fields.map((field) => (
            <OptionField
              key={field.name}
              field={field}
              value={options[field.name]}
              error={errors[field.name]}
              isReadOnly={isReadOnly}
              onChange={(value) => onChange(withOption(options, field.name, value))}
            />
          ))}
          {id === 'standards' && <StandardFields {...nested} />}
          {id === 'output' && <ThumbnailFields {...nested} />}
        </>
      ),
    })),
    { id: 'metadata', options: ['metadata'], fields: <MetadataFields {...nested} /> },
    { id: 'attachments', options: ['attachments'], fields: <AttachmentFields {...nested} /> },
    {
      id: 'factur_x',
      options: ['factur_x'],
      fields: <FacturXFields {...nested} hasTemplate={hasInvoiceTemplate} />,
    },
    { id: 'watermark', options: ['watermark'], fields: <WatermarkFields {...nested} /> },
    { id: 'page_numbers', options: ['page_numbers'], fields: <PageNumberFields {...nested} /> },
    ...(hasEncryption
      ? [{ id: 'encryption', options: ['encryption'], fields: <EncryptionFields {...nested} /> } as const]
      : []),
  ];
  return <OptionGroups groups={shown} options={options} errors={errors} />;
};
