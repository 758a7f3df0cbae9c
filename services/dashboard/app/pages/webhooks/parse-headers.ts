import { strings } from '../../strings/strings.ts';

/** The headers of lines such as `Name: value`. @throws Error with the first line of another form */
export const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .map((line) => {
        const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(line) ?? [];
        if (name === undefined || value === undefined) throw new Error(strings.webhooks.test.headersError(line));
        return [name, value];
      }),
  );
