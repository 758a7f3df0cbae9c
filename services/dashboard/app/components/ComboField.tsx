import type { ReactElement } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { Icon } from './Icon.tsx';
import { FieldTexts, type SelectOption } from './fields.tsx';

type ComboFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Suggestions; any other text is possible, too. */
  options: readonly SelectOption[];
  description: string;
  error: string | undefined;
  placeholder: string;
  isDisabled: boolean;
};

const maxSuggestions = 60;

/** A text with suggestions that match what is typed. */
export const ComboField = (props: ComboFieldProps): ReactElement => {
  const { label, value, onChange, options, description, error, placeholder, isDisabled } = props;
  const typed = value.toLowerCase();
  const isChosen = options.some((option) => option.value === value);
  const matching = isChosen
    ? options
    : options.filter((option) => `${option.value} ${option.label}`.toLowerCase().includes(typed));
  return (
    <ComboBox
      className="field"
      inputValue={value}
      onInputChange={onChange}
      onChange={(key) => key !== null && onChange(String(key))}
      items={matching.slice(0, maxSuggestions)}
      allowsCustomValue
      allowsEmptyCollection={false}
      menuTrigger="input"
      isDisabled={isDisabled}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
    >
      <Label className="field-label">{label}</Label>
      <div className="combo">
        <Input className="input" placeholder={placeholder} />
        <Button className="icon-button">
          <Icon name="sort" size={14} />
        </Button>
      </div>
      <FieldTexts description={description} error={error} />
      <Popover className="popover select-popover" offset={4}>
        <ListBox className="menu">
          {(option: SelectOption) => (
            <ListBoxItem id={option.value} textValue={option.value} className="menu-item">
              <span className="menu-item-text">
                {option.label}
                {option.label !== option.value && <span className="menu-item-detail">{option.value}</span>}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
