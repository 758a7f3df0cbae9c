import type { ReactElement, ReactNode } from 'react';
import {
  Button,
  Checkbox as AriaCheckbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { strings } from '../strings/strings.ts';
import { Icon } from './Icon.tsx';

type FieldProps = {
  label: string;
  /** Hides the label from view; it is still read out. */
  isLabelHidden?: boolean;
  /** A sentence below the field. */
  description?: ReactNode;
  /** The message of the API for this field. */
  error?: string | null | undefined;
  isDisabled?: boolean;
};

type FieldLabelProps = { label: string; isLabelHidden?: boolean | undefined; isOptional?: boolean | undefined };

const FieldLabel = ({ label, isLabelHidden = false, isOptional = false }: FieldLabelProps): ReactElement => (
  <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>
    {label}
    {isOptional && <span className="field-optional"> {strings.common.optional}</span>}
  </Label>
);

/** The description of a field, or what is wrong with its value. */
export const FieldTexts = ({ description, error }: Pick<FieldProps, 'description' | 'error'>): ReactElement => (
  <>
    {description && !error && (
      <Text slot="description" className="small muted">
        {description}
      </Text>
    )}
    <FieldError className="field-error">{error ?? undefined}</FieldError>
  </>
);

/** What is done with a key that is pressed in a field. `continuePropagation` leaves it to the elements around. */
export type KeyHandler = NonNullable<AriaTextFieldProps['onKeyDown']>;

export type TextFieldProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'email' | 'url' | 'password' | 'datetime-local';
  placeholder?: string;
  /** Shows several lines. */
  rows?: number;
  isMonospace?: boolean;
  isRequired?: boolean;
  isOptional?: boolean;
  isReadOnly?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  inputMode?: 'decimal';
  onKeyDown?: KeyHandler;
};

/** A form with a later time is not sent: scripts read no year of five digits. */
const lastTime = '9999-12-31T23:59';
const timeErrorOf = (value: string): string | null =>
  value !== '' && Number.isNaN(Date.parse(value)) ? strings.time.tooLate : null;

export const TextField = (props: TextFieldProps): ReactElement => {
  const { label, isLabelHidden, description, rows, isMonospace, isOptional, placeholder, ...field } = props;
  const isTime = field.type === 'datetime-local';
  const error = field.error ?? (isTime ? timeErrorOf(field.value) : null);
  const className = `input${isMonospace ? ' mono' : ''}`;
  return (
    <AriaTextField {...field} isInvalid={Boolean(error)} validationBehavior="aria" className="field">
      <FieldLabel label={label} isLabelHidden={isLabelHidden} isOptional={isOptional} />
      {rows === undefined ? (
        <Input className={className} placeholder={placeholder} {...(isTime && { max: lastTime })} />
      ) : (
        <TextArea className={className} rows={rows} placeholder={placeholder} />
      )}
      <FieldTexts description={description} error={error} />
    </AriaTextField>
  );
};

export type SelectOption<V extends string = string> = { value: V; label: string };

/** The options of a list, from their labels by value. */
export const optionsOf = <V extends string>(labels: Readonly<Record<V, string>>): SelectOption<V>[] =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as V, label }));

/** Options that are shown as they are. */
export const plainOptions = <V extends string>(values: readonly V[]): SelectOption<V>[] =>
  values.map((value) => ({ value, label: value }));

export type SelectProps<V extends string> = FieldProps & {
  value: V;
  onChange: (value: V) => void;
  options: readonly SelectOption<V>[];
  placeholder?: string;
};

/** One value of a list. */
export const Select = <V extends string>(props: SelectProps<V>): ReactElement => {
  const { label, isLabelHidden, description, error, value, onChange, options, placeholder, isDisabled } = props;
  return (
    <AriaSelect
      className="field"
      value={value === '' && !options.some((option) => option.value === '') ? null : value}
      onChange={(key) => onChange(String(key ?? '') as V)}
      isDisabled={isDisabled}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
      placeholder={placeholder}
    >
      <FieldLabel label={label} isLabelHidden={isLabelHidden} />
      <Button className="select-button">
        <SelectValue className="select-value" dir="auto" />
        <Icon name="sort" size={14} />
      </Button>
      <FieldTexts description={description} error={error} />
      <Popover className="popover select-popover" offset={4}>
        <ListBox className="menu" items={options}>
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className="menu-item">
              {({ isSelected }) => (
                <>
                  <span>{option.label}</span>
                  {isSelected && <Icon name="check" size={14} />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
};

type CheckboxProps = {
  label: string;
  description?: ReactNode;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
};

export const Checkbox = ({ label, description, ...rest }: CheckboxProps): ReactElement => (
  <AriaCheckbox {...rest} className="checkbox">
    <span className="checkbox-box" aria-hidden="true">
      <Icon name="check" size={12} />
    </span>
    <span>
      {label}
      {description && <span className="checkbox-description">{description}</span>}
    </span>
  </AriaCheckbox>
);

export const Switch = ({ label, description, ...rest }: CheckboxProps): ReactElement => (
  <AriaSwitch {...rest} className="switch">
    <span className="switch-track" aria-hidden="true">
      <span className="switch-thumb" />
    </span>
    <span>
      {label}
      {description && <span className="checkbox-description">{description}</span>}
    </span>
  </AriaSwitch>
);
