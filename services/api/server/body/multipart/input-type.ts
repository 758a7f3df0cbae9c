import { ApiError, truncateForMessage } from '#contracts/http/api-error.ts';
import { inputTypesByExtension } from '#contracts/http/file-extensions.ts';
import { officeMediaTypes } from '#contracts/http/office-types.ts';
import { pdfContentType } from '#contracts/http/output.ts';
import { type InputType, inputTypes } from '#contracts/http/render.ts';

const typesByContentType: Record<string, InputType> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/json': 'json',
  'text/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/rtf': 'rtf',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  ...Object.fromEntries(Object.entries(officeMediaTypes).map(([type, media]) => [media, type as InputType])),
};

const fileInputTypes = inputTypes.filter((type) => type !== 'url');
const fileExtensions = Object.keys(inputTypesByExtension);

/** The last segment of a path, with `/` or `\` between the segments. */
export const baseNameOf = (path: string): string => path.split(/[/\\]/).at(-1)!;

const extensionOf = (fileName: string): string => /\.([^.]+)$/.exec(baseNameOf(fileName))?.[1]?.toLowerCase() ?? '';

const imageExtensions = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'svg', 'tif', 'tiff', 'bmp', 'heic']);

const lookUp = (types: Record<string, InputType>, key: string): InputType | undefined =>
  Object.hasOwn(types, key) ? types[key] : undefined;

/**
 * The input type of a document by its content type, else by the extension of its name.
 * @throws ApiError invalid_input_type if neither is known
 */
export const inputTypeOf = ({ type, fileName }: { type: string | null; fileName: string | null }): InputType => {
  const found = lookUp(typesByContentType, type ?? '') ?? lookUp(inputTypesByExtension, extensionOf(fileName ?? ''));
  if (found) return found;
  if (type === pdfContentType || extensionOf(fileName ?? '') === 'pdf')
    throw ApiError.of(
      'invalid_input_type',
      'A PDF cannot be converted. It can be a part of a composed document: send it under files, with mode PDF or none.',
      { field: 'input_type', received: fileName ?? type, valid_values: fileInputTypes },
    );
  if (type?.startsWith('image/') || imageExtensions.has(extensionOf(fileName ?? '')))
    throw ApiError.of(
      'invalid_input_type',
      'An image cannot be converted. Send HTML that shows it, such as <img src="scan.png">, and the image in a part assets.',
      { field: 'input_type', received: fileName ?? type, valid_values: fileInputTypes },
    );
  const named =
    fileName === null
      ? 'has no file name (curl sends a file with -F file=@report.md)'
      : `is named "${truncateForMessage(baseNameOf(fileName))}"`;
  const typed = type === null ? 'no content type' : `the content type ${truncateForMessage(type)}`;
  throw ApiError.of(
    'invalid_input_type',
    `The type of the document is unknown: the part file ${named} and has ${typed}. Send input_type (one of ` +
      `${fileInputTypes.join(', ')}), a content type such as text/markdown, or a name that ends in one of ` +
      `${fileExtensions.map((extension) => `.${extension}`).join(', ')}.`,
    { field: 'input_type', received: fileName ?? type, valid_values: fileInputTypes },
  );
};
