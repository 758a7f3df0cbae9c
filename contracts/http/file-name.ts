import { z } from 'zod';

export const maxFileNameLength = 200;
/** Characters that break a line, or that change or hide how the rest of a name is shown. */
const hiddenCharacters = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const isFileName = (name: string): boolean =>
  name.isWellFormed() && !/[/\\]/.test(name) && !name.startsWith('.') && !hiddenCharacters.test(name);

const withExtension = (name: string): string => {
  const normalized = name.normalize('NFC');
  return /\.pdf$/i.test(normalized) ? normalized : `${normalized}.pdf`;
};

/** The file name of a PDF in a request. Null means the default name, even if the template has another one. */
export const fileName = z
  .string()
  .trim()
  .min(1, { abort: true })
  .max(maxFileNameLength, { abort: true })
  .refine(isFileName, {
    error: 'must be a file name: no path separators, control or bidirectional characters, and no dot at the beginning',
    abort: true,
  })
  .overwrite(withExtension)
  .max(maxFileNameLength)
  .nullable()
  .optional()
  .describe(
    'The name of the PDF when it is downloaded, at most 200 characters with its `.pdf`, which is added if it is ' +
      'missing. Default: `render_<id>.pdf`.',
  );
