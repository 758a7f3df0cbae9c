import { stat } from 'node:fs/promises';
import { extname, parse as parsePath, resolve } from 'node:path';
import { fileNameFor, type OutputContentType, pdfContentType } from '#contracts/http/output.ts';
import type { Warning } from '#contracts/http/warnings.ts';
import { UsageError } from '../process/command-context.ts';
import { print, writeOutput, writeStandardOutput } from './output.ts';

/** The response to a render: a PDF, or images with their media type. */
export type RenderedFile = {
  pdf_base64?: string;
  file_base64?: string;
  content_type?: OutputContentType;
  thumbnail_base64?: string;
  pages: number;
  file_size_kb: number;
  duration_ms: number;
  warnings?: Warning[];
};

const outputsByExtension: Readonly<Record<string, string>> = {
  '.pdf': 'pdf',
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.webp': 'webp',
  '.zip': 'png',
};

/** Names of documents and of images that are not made. */
const otherExtension = /^\.(?:html?|md|markdown|doc[xm]?|odt|rtf|xlsx?|pptx?|csv|tsv|json|xml|txt|svg|gif|tiff?|bmp)$/i;

/**
 * The same for all paths and links of a file; null if there is none, and for devices. Reading and writing report their
 * own errors.
 */
const identityOf = async (file: string): Promise<string | null> => {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found?.isFile() ? `${found.dev} ${found.ino}` : null;
};

/** @throws UsageError if the file is one of those that are read, or a link to one */
export const refuseToOverwrite = async (output: string, inputs: readonly string[]): Promise<void> => {
  if (output === '-') return;
  const files = inputs.filter((input) => input !== '-');
  const identity = await identityOf(output);
  const identities = identity === null ? [] : await Promise.all(files.map(identityOf));
  const read = files.find(
    (input, at) => resolve(input) === resolve(output) || (identity !== null && identities[at] === identity),
  );
  if (read === undefined) return;
  const is = resolve(read) === resolve(output) ? `${output} is` : `${output} is the same file as ${read},`;
  throw new UsageError(`${is} one of the files that the command reads. Name another file with -o.`);
};

/**
 * The option `output` that the name of the file to write says; none for standard output, an unknown extension, or if the
 * options have it. @throws UsageError if both contradict each other, and for the extension of something else
 */
export const outputOptionOf = (
  file: string | undefined,
  { output }: Record<string, unknown>,
): Record<string, unknown> => {
  const named = file === undefined ? undefined : outputsByExtension[extname(file).toLowerCase()];
  if (file !== undefined && otherExtension.test(extname(file)))
    throw new UsageError(`${file}: the output is a PDF or images. End the name in .pdf, .png, .jpg, .webp or .zip.`);
  if (named === undefined) return {};
  if (output === undefined) return named === 'pdf' ? {} : { output: named };
  if (output === named || extname(file!).toLowerCase() === '.zip') return {};
  throw new UsageError(
    `The option output=${JSON.stringify(output)} does not fit the name ${file}. Leave the option out, or change the name.`,
  );
};

/** The name of the file without `-o`: that of the document with the extension of what was made. */
export const defaultOutputOf = (file: string, { content_type: contentType = pdfContentType }: RenderedFile): string =>
  file === '-' ? '-' : fileNameFor(`${parsePath(resolve(file)).name}.pdf`, contentType);

/** The file to write: one image has the extension of its type, and several are a ZIP file. */
const fileToWrite = (output: string, contentType: OutputContentType): string =>
  contentType !== pdfContentType && extname(output).toLowerCase() in outputsByExtension
    ? fileNameFor(output, contentType)
    : output;

const countText = (pages: number, contentType: OutputContentType): string => {
  const [one, many] = contentType === pdfContentType ? ['page', 'pages'] : ['image', 'images'];
  return `${pages} ${pages === 1 ? one : many}`;
};

/**
 * Writes what was rendered, with a thumbnail beside it, and prints a line about it. `output` is `-` for standard output.
 * @throws UsageError if this would overwrite one of `inputs`
 */
export const writeRendered = async (
  rendered: RenderedFile,
  output: string,
  json: boolean,
  inputs: readonly string[],
): Promise<void> => {
  const { pdf_base64, file_base64, content_type: contentType = pdfContentType, thumbnail_base64 } = rendered;
  const { pages, file_size_kb, duration_ms, warnings = [] } = rendered;
  const bytes = Buffer.from(file_base64 ?? pdf_base64 ?? '', 'base64');
  for (const warning of warnings) process.stderr.write(`Warning: ${warning.message}\n`);
  if (output === '-') return writeStandardOutput(bytes);
  const file = fileToWrite(output, contentType);
  const thumbnail = thumbnail_base64 === undefined ? {} : { thumbnail: fileNameFor(file, 'image/png') };
  for (const written of [file, ...Object.values(thumbnail)]) await refuseToOverwrite(written, inputs);
  await writeOutput(file, bytes);
  if (thumbnail.thumbnail !== undefined)
    await writeOutput(thumbnail.thumbnail, Buffer.from(thumbnail_base64!, 'base64'));
  print(
    json,
    { file, ...thumbnail, pages, file_size_kb, duration_ms, warnings },
    `${file}: ${countText(pages, contentType)}, ${file_size_kb} KB, ${Math.round(duration_ms)} ms`,
  );
};
