import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { Select, TextField } from './fields.tsx';
import { asObject, textOf, type Values, withValue } from './option-values.ts';
import { ImageField } from './ImageField.tsx';
import type { RenderOptionValues } from './option-values.ts';

const texts = strings.renderOptions;

type Group = keyof typeof texts.nested;
type Field<G extends Group> = {
  name: keyof (typeof texts.nested)[G] & string;
  kind: 'text' | 'number' | 'password' | 'image' | { choices: readonly string[] };
  initial?: string;
};

const watermarkPositions = 'center top bottom left right top_left top_right bottom_left bottom_right'.split(' ');
const watermark: readonly Field<'watermark'>[] = [
  { name: 'text', kind: 'text', initial: 'DRAFT' },
  { name: 'image', kind: 'image' },
  { name: 'opacity', kind: 'number', initial: '0.15' },
  { name: 'rotation', kind: 'number', initial: '45' },
  { name: 'position', kind: { choices: watermarkPositions } },
  { name: 'layer', kind: { choices: ['over', 'under'] } },
  { name: 'color', kind: 'text', initial: '#000000' },
  { name: 'font_size', kind: 'number' },
  { name: 'width', kind: 'number' },
  { name: 'pages', kind: 'text', initial: '1-3, 5, 8-' },
];
const positions = ['bottom', 'top'].flatMap((edge) =>
  ['center', 'left', 'right', 'outside'].map((side) => `${edge}_${side}`),
);
const pageNumbers: readonly Field<'page_numbers'>[] = [
  { name: 'format', kind: 'text', initial: '{page} / {total}' },
  { name: 'position', kind: { choices: positions } },
  { name: 'style', kind: { choices: ['decimal', 'lower_roman', 'upper_roman'] } },
  { name: 'start', kind: 'number', initial: '1' },
  { name: 'restart_by_part', kind: { choices: ['false', 'true'] } },
  { name: 'margin', kind: 'number', initial: '8' },
  { name: 'font_size', kind: 'number', initial: '9' },
  { name: 'color', kind: 'text', initial: '#000000' },
  { name: 'pages', kind: 'text', initial: '1-3, 5, 8-' },
];
const encryptionFields: readonly Field<'encryption'>[] = [
  { name: 'user_password', kind: 'password' },
  { name: 'owner_password', kind: 'password' },
  { name: 'encrypt_metadata', kind: { choices: ['true', 'false'] } },
];
const permissions: readonly Field<'permissions'>[] = [
  { name: 'print', kind: { choices: ['high', 'low', 'none'] } },
  ...(['copy', 'modify', 'annotate', 'fill_forms', 'accessibility', 'assemble'] as const).map(
    (name): Field<'permissions'> => ({ name, kind: { choices: ['true', 'false'] } }),
  ),
];

const valueOf = (kind: Field<Group>['kind'], text: string): unknown => {
  if (text === '') return undefined;
  if (typeof kind === 'object' && (text === 'true' || text === 'false')) return text === 'true';
  return kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;
};

/** The fields of one object, such as `encryption.permissions`. */
const Fields = <G extends Group>({
  group,
  fields,
  values,
  onChange,
  errorOf,
  isReadOnly,
}: {
  group: G;
  fields: readonly Field<G>[];
  values: Values;
  onChange: (values: Values | undefined) => void;
  errorOf: (name: string) => string | undefined;
  isReadOnly: boolean;
}): ReactElement => (
  <>
    {fields.map(({ name, kind, initial }) => {
      const label = (texts.nested[group] as Record<string, string>)[name]!;
      const text = textOf(values[name]);
      const change = (changed: string): void => onChange(withValue(values, name, valueOf(kind, changed)));
      if (typeof kind === 'object') {
        const named = (value: string): string => (value === 'true' ? texts.on : value === 'false' ? texts.off : value);
        return (
          <Select
            key={name}
            label={label}
            value={text}
            error={errorOf(name)}
            isDisabled={isReadOnly}
            options={[
              { value: '', label: texts.default(named(kind.choices[0]!)) },
              ...kind.choices.map((value) => ({ value, label: named(value) })),
            ]}
            onChange={change}
          />
        );
      }
      if (kind === 'image')
        return (
          <ImageField
            key={name}
            label={label}
            value={text}
            error={errorOf(name)}
            isReadOnly={isReadOnly}
            onChange={change}
          />
        );
      return (
        <TextField
          key={name}
          label={label}
          value={text}
          error={errorOf(name)}
          isReadOnly={isReadOnly}
          placeholder={initial ?? ''}
          {...(kind === 'password' ? { type: 'password', autoComplete: 'new-password' } : {})}
          onChange={change}
        />
      );
    })}
  </>
);

export type NestedFieldsProps = {
  options: RenderOptionValues;
  onChange: (options: RenderOptionValues) => void;
  errors: Record<string, string>;
  isReadOnly: boolean;
};

const partsOf = (
  { options, onChange, errors, isReadOnly }: NestedFieldsProps,
  option: 'watermark' | 'page_numbers',
  first: string,
) => ({
  values: asObject(options[option]),
  onChange: (values: Values | undefined): void => onChange(withValue(options, option, values) ?? {}),
  errorOf: (name: string): string | undefined =>
    errors[`${option}.${name}`] ?? (name === first ? errors[option] : undefined),
  isReadOnly,
});

export const WatermarkFields = (props: NestedFieldsProps): ReactElement => (
  <Fields {...partsOf(props, 'watermark', 'text')} group="watermark" fields={watermark} />
);

export const PageNumberFields = (props: NestedFieldsProps): ReactElement => (
  <Fields {...partsOf(props, 'page_numbers', 'format')} group="page_numbers" fields={pageNumbers} />
);

/** Passwords and permissions. The passwords are kept only while the page is open. */
export const EncryptionFields = ({ options, onChange, errors, isReadOnly }: NestedFieldsProps): ReactElement => {
  const encryption = asObject(options['encryption']);
  const change = (values: Values | undefined): void => onChange(withValue(options, 'encryption', values) ?? {});
  return (
    <>
      <Fields
        group="encryption"
        fields={encryptionFields}
        values={encryption}
        onChange={change}
        errorOf={(name) =>
          errors[`encryption.${name}`] ?? (name === 'user_password' ? errors['encryption'] : undefined)
        }
        isReadOnly={isReadOnly}
      />
      <Fields
        group="permissions"
        fields={permissions}
        values={asObject(encryption['permissions'])}
        onChange={(values) => change(withValue(encryption, 'permissions', values))}
        errorOf={(name) => errors[`encryption.permissions.${name}`]}
        isReadOnly={isReadOnly}
      />
    </>
  );
};

/** The options with `***` in place of passwords, for everything that is shown. */
export const withoutPasswords = (options: RenderOptionValues): RenderOptionValues => {
  if (options['encryption'] === undefined) return options;
  const entries = Object.entries(asObject(options['encryption']));
  const masked = entries.map(([name, value]) => [name, name.endsWith('_password') ? '***' : value]);
  return { ...options, encryption: Object.fromEntries(masked) as Values };
};
