import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { fieldValuesOf, OptionFields, type OptionKind, type OptionsProps } from './OptionField.tsx';
import { asObject, type RenderOptionValues, withValue } from './option-values.ts';

const texts = strings.renderOptions.nested;
type Field<Group extends keyof typeof texts> = OptionKind & { name: keyof (typeof texts)[Group] & string };

const watermarkPositions = 'center top bottom left right top_left top_right bottom_left bottom_right'.split(' ');
const watermark: readonly Field<'watermark'>[] = [
  { name: 'text', kind: 'text', initial: 'DRAFT' },
  { name: 'image', kind: 'image' },
  { name: 'opacity', kind: 'number', initial: '0.15' },
  { name: 'rotation', kind: 'number', initial: '45' },
  { name: 'position', kind: 'choice', values: watermarkPositions },
  { name: 'layer', kind: 'choice', values: ['over', 'under'] },
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
  { name: 'position', kind: 'choice', values: positions },
  { name: 'style', kind: 'choice', values: ['decimal', 'lower_roman', 'upper_roman'] },
  { name: 'start', kind: 'number', initial: '1' },
  { name: 'restart_by_part', kind: 'boolean', initial: false },
  { name: 'margin', kind: 'number', initial: '8' },
  { name: 'font_size', kind: 'number', initial: '9' },
  { name: 'color', kind: 'text', initial: '#000000' },
  { name: 'pages', kind: 'text', initial: '1-3, 5, 8-' },
];
const encryption: readonly Field<'encryption'>[] = [
  { name: 'user_password', kind: 'password' },
  { name: 'owner_password', kind: 'password' },
  { name: 'encrypt_metadata', kind: 'boolean', initial: true },
];
const permissions: readonly Field<'permissions'>[] = [
  { name: 'print', kind: 'choice', values: ['high', 'low', 'none'] },
  ...(['copy', 'modify', 'annotate', 'fill_forms', 'accessibility', 'assemble'] as const).map(
    (name): Field<'permissions'> => ({ name, kind: 'boolean', initial: true }),
  ),
];

export const WatermarkFields = (props: OptionsProps): ReactElement => (
  <OptionFields {...fieldValuesOf(props, 'watermark', 'text')} fields={watermark} labels={texts.watermark} />
);

export const PageNumberFields = (props: OptionsProps): ReactElement => (
  <OptionFields {...fieldValuesOf(props, 'page_numbers', 'format')} fields={pageNumbers} labels={texts.page_numbers} />
);

/** Passwords and permissions. The passwords are kept only while the page is open. */
export const EncryptionFields = (props: OptionsProps): ReactElement => {
  const common = fieldValuesOf(props, 'encryption', 'user_password');
  return (
    <>
      <OptionFields {...common} fields={encryption} labels={texts.encryption} />
      <OptionFields
        {...common}
        fields={permissions}
        labels={texts.permissions}
        values={asObject(common.values['permissions'])}
        onChange={(values) => common.onChange(withValue(common.values, 'permissions', values))}
        errorOf={(name) => common.errorOf(`permissions.${name}`)}
      />
    </>
  );
};

/** The options with `***` in place of passwords, for everything that is shown. */
export const withoutPasswords = (options: RenderOptionValues): RenderOptionValues => {
  if (options['encryption'] === undefined) return options;
  const entries = Object.entries(asObject(options['encryption']));
  const masked = entries.map(([name, value]) => [name, name.endsWith('_password') ? '***' : value]);
  return { ...options, encryption: Object.fromEntries(masked) };
};
