import { type ReactElement, useState } from 'react';
import { TextField, type TextFieldProps } from './fields.tsx';

/** A value as lines of text. Shows the text as it was typed while it gives the same value. */
export const LinesField = <Value,>({
  value,
  onChange,
  parse,
  format,
  ...field
}: Omit<TextFieldProps, 'value' | 'onChange'> & {
  value: Value;
  onChange: (value: Value) => void;
  parse: (lines: readonly string[]) => Value;
  format: (value: Value) => readonly string[];
}): ReactElement => {
  const valueOf = (text: string): Value => parse(text.split('\n').flatMap((line) => line.trim() || []));
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(valueOf(typed)) === JSON.stringify(value);
  return (
    <TextField
      {...field}
      rows={2}
      value={isTyped ? typed : format(value).join('\n')}
      onChange={(text) => {
        setTyped(text);
        onChange(valueOf(text));
      }}
    />
  );
};
