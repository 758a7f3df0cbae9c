import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { plainOptions, Select, TextField } from './fields.tsx';
import { ImageField } from './ImageField.tsx';
import { asObject, type RenderOptionValues, textOf, withOption, withValue } from './option-values.ts';

const texts = strings.renderOptions;

/** How an option is edited, with its default as text. That of a choice is its first value. */
export type OptionKind =
  | { kind: 'choice'; values: readonly string[]; initial?: string }
  | { kind: 'boolean'; initial: boolean }
  | { kind: 'number' | 'length' | 'text' | 'html' | 'password' | 'image'; initial?: string };

const furtherProps = {
  html: { rows: 3, isMonospace: true, description: texts.placeholders },
  length: { description: texts.millimetres },
  password: { type: 'password', autoComplete: 'new-password' },
  number: {},
  text: {},
} as const;

const yesOrNo = [
  { value: 'true', label: texts.on },
  { value: 'false', label: texts.off },
];

/** What a text stands for: a number where it is one; nothing for an empty text. */
const valueOf = (kind: OptionKind['kind'], text: string): unknown => {
  if (text === '') return undefined;
  if (kind === 'boolean') return text === 'true';
  const isNumber = (kind === 'number' || kind === 'length') && /^-?\d+(?:\.\d+)?$/.test(text.trim());
  return isNumber ? Number(text) : text;
};

type OptionFieldProps = {
  label: string;
  field: OptionKind;
  value: unknown;
  /** Called with undefined for the default. */
  onChange: (value: unknown) => void;
  error: string | undefined;
  isReadOnly: boolean;
};

/** A field for one option. */
export const OptionField = ({ field, value, onChange, isReadOnly, ...common }: OptionFieldProps): ReactElement => {
  const text = textOf(value);
  const props = { ...common, value: text, onChange: (changed: string) => onChange(valueOf(field.kind, changed)) };
  if (field.kind === 'image') return <ImageField {...props} isReadOnly={isReadOnly} />;
  if (field.kind === 'boolean') {
    const initial = { value: '', label: texts.default(field.initial ? texts.on : texts.off) };
    return <Select {...props} isDisabled={isReadOnly} options={[initial, ...yesOrNo]} />;
  }
  if (field.kind !== 'choice')
    return <TextField {...props} isReadOnly={isReadOnly} placeholder={field.initial} {...furtherProps[field.kind]} />;
  const { values, initial = values[0]! } = field;
  // The present value is always among them.
  const choices = plainOptions([...new Set([...values, ...(text === '' ? [] : [text])])]);
  return (
    <Select {...props} isDisabled={isReadOnly} options={[{ value: '', label: texts.default(initial) }, ...choices]} />
  );
};

/** The options of a render, while they are edited. */
export type OptionsProps = {
  options: RenderOptionValues;
  onChange: (options: RenderOptionValues) => void;
  /** Messages by the name of the option. */
  errors: Record<string, string>;
  isReadOnly: boolean;
};

/** The fields of one object: the options, or an option such as `watermark`. */
export type FieldValues = {
  values: RenderOptionValues;
  onChange: (values: RenderOptionValues | undefined) => void;
  errorOf: (name: string) => string | undefined;
  isReadOnly: boolean;
};

/** The fields of an option that is an object. A message about all of it is shown at the field `first`. */
export const fieldValuesOf = (
  { options, onChange, errors, isReadOnly }: OptionsProps,
  option: string,
  first: string,
): FieldValues => ({
  values: asObject(options[option]),
  onChange: (values) => onChange(withOption(options, option, values)),
  errorOf: (name) => errors[`${option}.${name}`] ?? (name === first ? errors[option] : undefined),
  isReadOnly,
});

type OptionFieldsProps<Name extends string> = FieldValues & {
  fields: readonly (OptionKind & { name: Name })[];
  labels: Readonly<Record<Name, string>>;
};

export const OptionFields = <Name extends string>(props: OptionFieldsProps<Name>): ReactElement[] =>
  props.fields.map(({ name, ...field }) => (
    <OptionField
      key={name}
      label={props.labels[name]}
      field={field}
      value={props.values[name]}
      error={props.errorOf(name)}
      isReadOnly={props.isReadOnly}
      onChange={(value) => props.onChange(withValue(props.values, name, value))}
    />
  ));
