import type { ReactElement } from 'react';
import { TextField, type TextFieldProps } from '../../components/fields.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.webhooks.test;

/** The headers of lines such as `Name: value`. @throws Error with the first line of another form */
export const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map((line) => {
        const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
        if (name === undefined || value === undefined) throw new Error(texts.headersError(line));
        return [name, value];
      }),
  );

/** The message for any header, by the field of the API that has the headers. */
export const headersErrorOf = (errors: Readonly<Record<string, string>>, field: string): string | undefined =>
  Object.entries(errors).find(([at]) => at.startsWith(field))?.[1];

/** Headers of a callback, one in each line. */
export const HeadersField = (
  props: Pick<TextFieldProps, 'value' | 'onChange' | 'error' | 'isOptional'>,
): ReactElement => (
  <TextField {...props} label={texts.headers} description={texts.headersHint} rows={3} autoComplete="off" isMonospace />
);
