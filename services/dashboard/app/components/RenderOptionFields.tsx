import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { AttachmentFields, FacturXFields, MetadataFields, StandardFields } from './DocumentOptionFields.tsx';
import { EncryptionFields, PageNumberFields, WatermarkFields } from './NestedOptionFields.tsx';
import { type OptionGroup, type OptionGroupId, OptionGroups } from './OptionGroups.tsx';
import { OptionField, OptionFields, type OptionKind, type OptionsProps } from './OptionField.tsx';
import { asObject, withOption } from './option-values.ts';
import '../styles/options.css';

const texts = strings.renderOptions;

type Field = OptionKind & { name: keyof typeof texts.names };

const pageSizes =
  'A4 Letter A5 A3 Legal A6 A0 A1 A2 A7 A8 A9 A10 B0 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 JIS-B4 JIS-B5 Executive Tabloid';

const margin = (name: Field['name'], initial: string): Field => ({ name, kind: 'length', initial });

const groups: readonly { id: OptionGroupId; fields: readonly Field[] }[] = [
  {
    id: 'page',
    fields: [
      { name: 'page_size', kind: 'choice', values: pageSizes.split(' ') },
      { name: 'orientation', kind: 'choice', values: ['portrait', 'landscape'] },
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
      { name: 'output', kind: 'choice', values: ['pdf', 'png', 'jpeg', 'webp'] },
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
      { name: 'docx_layout', kind: 'choice', values: ['faithful', 'semantic'] },
      { name: 'one_page_per_sheet', kind: 'boolean', initial: false },
      { name: 'print_background', kind: 'boolean', initial: true },
      { name: 'scale', kind: 'number', initial: '1' },
      { name: 'emulate_media', kind: 'choice', values: ['print', 'screen'] },
      { name: 'wait_for', kind: 'choice', values: ['load', 'domcontentloaded', 'networkidle'] },
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

/** An image of the first page, with a width of its own or the usual one. */
const ThumbnailFields = ({ options, onChange, errors, isReadOnly }: OptionsProps): ReactElement => {
  const { thumbnail } = options;
  const { width } = asObject(thumbnail);
  const hasWidth = width !== undefined;
  const change = (value: unknown): void => onChange(withOption(options, 'thumbnail', value));
  return (
    <>
      <OptionField
        label={texts.names.thumbnail}
        field={{ kind: 'boolean', initial: false }}
        value={hasWidth || thumbnail}
        error={hasWidth ? undefined : errors['thumbnail']}
        isReadOnly={isReadOnly}
        onChange={(value) => change(value && hasWidth ? thumbnail : value)}
      />
      <OptionField
        label={texts.thumbnailWidth}
        field={{ kind: 'number', initial: '320' }}
        value={width}
        error={errors['thumbnail.width'] ?? (hasWidth ? errors['thumbnail'] : undefined)}
        isReadOnly={isReadOnly}
        onChange={(value) => change(value === undefined || { width: value })}
      />
    </>
  );
};

type RenderOptionFieldsProps = Omit<OptionsProps, 'isReadOnly'> & {
  isReadOnly?: boolean;
  /** A template cannot have passwords. */
  hasEncryption?: boolean;
  /** A template can make the XML of an invoice from its data. */
  hasInvoiceTemplate?: boolean;
};

/** A field for each option of a render, in groups. Options without a field stay as they are. */
export const RenderOptionFields = (props: RenderOptionFieldsProps): ReactElement => {
  const { options, onChange, errors, isReadOnly = false, hasEncryption, hasInvoiceTemplate = false } = props;
  const all = { options, onChange, errors, isReadOnly };
  const shown: OptionGroup[] = [
    ...groups.map(({ id, fields }) => ({
      id,
      options: [...fields.map(({ name }) => name), ...(furtherOptions[id] ?? [])],
      fields: (
        <>
          <OptionFields
            fields={fields}
            labels={texts.names}
            values={options}
            onChange={(changed = {}) => onChange(changed)}
            errorOf={(name) => errors[name]}
            isReadOnly={isReadOnly}
          />
          {id === 'standards' && <StandardFields {...all} />}
          {id === 'output' && <ThumbnailFields {...all} />}
        </>
      ),
    })),
    { id: 'metadata', options: ['metadata'], fields: <MetadataFields {...all} /> },
    { id: 'attachments', options: ['attachments'], fields: <AttachmentFields {...all} /> },
    { id: 'factur_x', options: ['factur_x'], fields: <FacturXFields {...all} hasTemplate={hasInvoiceTemplate} /> },
    { id: 'watermark', options: ['watermark'], fields: <WatermarkFields {...all} /> },
    { id: 'page_numbers', options: ['page_numbers'], fields: <PageNumberFields {...all} /> },
    ...(hasEncryption
      ? [{ id: 'encryption', options: ['encryption'], fields: <EncryptionFields {...all} /> } as const]
      : []),
  ];
  return <OptionGroups groups={shown} options={options} errors={errors} />;
};
