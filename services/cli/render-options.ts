import { basename } from 'node:path';
import type { CliCommand } from './cli-command.ts';
import { facturXProfiles } from '#contracts/http/factur-x.ts';
import { optionValueOf } from '#contracts/http/option-texts.ts';
import { isObject } from '#contracts/http/type-names.ts';
import { UsageError } from '../process/command-context.ts';
import { collect } from './arguments.ts';
import { readLocalFile } from './local-files.ts';
import { outputOptionOf } from './render-output.ts';
import { parseJsonFile } from './template-files.ts';

/** The arguments of `colophon render` for the options of the PDF. */
export type RenderOptionArguments = {
  output?: string;
  option: string[];
  options?: string;
  attach: string[];
  facturX?: string;
  profile?: string;
  conformance?: string;
  metadata: string[];
  watermark?: string;
  watermarkImage?: string;
  pageNumbers?: string | true;
  contents?: true;
  encrypt?: string;
};

const defaultProfile = 'en16931';

export const addRenderOptions = (command: CliCommand): CliCommand =>
  command
    .option('--option <name=value>', 'an option of POST /render; can be repeated', collect, [])
    .option('--options <file>', 'JSON with options of POST /render')
    .option('--conformance <levels>', 'such as pdf/a-3b or pdf/a-3b,pdf/ua-1')
    .option(
      '--metadata <name=value>',
      'title, author, subject, keywords, creator, or a name of your own; can be repeated',
      collect,
      [],
    )
    .option('--attach <file>', 'a file to put into the PDF; can be repeated', collect, [])
    .option('--factur-x <file>', 'the XML of an electronic invoice, which is checked and put into a PDF/A-3')
    .option(
      '--profile <profile>',
      `the profile of --factur-x: ${facturXProfiles.join(', ')} (default: ${defaultProfile})`,
    )
    .option('--watermark <text>', 'a text on every page')
    .option('--watermark-image <file>', 'a PNG, JPEG or SVG on every page')
    .option('--page-numbers [format]', 'page numbers, such as "{page} of {total}"')
    .option('--contents', 'a table of contents, for several files or --compose')
    .option(
      '--encrypt <file>',
      'encrypts the PDF: line 1 of the file is the password to open it, line 2 that of the owner',
    );

/** The value of an option as JSON, or as text where the option takes only that, such as `page_ranges=1`. */
const parseValue = (name: string, text: string): unknown => {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // It is not JSON, so it is a text.
  }
  return optionValueOf(name, text, value);
};

/** @throws UsageError if there is no name or no value */
const namedValues = (option: string, texts: readonly string[]): [name: string, value: string][] =>
  texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1 || (at === text.length - 1 && option !== '--option'))
      throw new UsageError(`${option} ${text} has no value; write it as name=value.`);
    return [text.slice(0, at), text.slice(at + 1)];
  });

const metadataNames = new Set(['title', 'author', 'subject', 'keywords', 'creator']);

const metadataOf = (texts: readonly string[]): Record<string, unknown> => {
  const named = namedValues('--metadata', texts);
  const custom = named.filter(([name]) => !metadataNames.has(name));
  return {
    ...Object.fromEntries(named.filter(([name]) => metadataNames.has(name))),
    ...(custom.length > 0 ? { custom: Object.fromEntries(custom) } : {}),
  };
};

/** The passwords in the first two lines of a file. @throws UsageError if it has none */
const readPasswords = async (file: string): Promise<Record<string, string>> => {
  const [user = '', owner = ''] = (await readLocalFile(file))
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/);
  if (user === '' && owner === '')
    throw new UsageError(`${file} has no password: line 1 is needed to open the PDF, line 2 is that of the owner.`);
  return { ...(user === '' ? {} : { user_password: user }), ...(owner === '' ? {} : { owner_password: owner }) };
};

/** The fields of an option that `--options` or `--option` may have, too; those of the arguments override them. */
const over = (all: Record<string, unknown>, name: string, own: Record<string, unknown>): Record<string, unknown> => ({
  [name]: { ...(isObject(all[name]) ? all[name] : {}), ...own },
});

/** @throws UsageError */
const namedOptions = async (
  args: RenderOptionArguments,
  all: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const { facturX, profile, conformance, metadata, watermark, watermarkImage, pageNumbers, contents, encrypt } = args;
  if (profile !== undefined && facturX === undefined)
    throw new UsageError('--profile needs --factur-x with the XML of the invoice.');
  if (watermark !== undefined && watermarkImage !== undefined)
    throw new UsageError('--watermark and --watermark-image exclude each other: a watermark is a text or an image.');
  return {
    ...(conformance === undefined ? {} : { conformance: optionValueOf('conformance', conformance, conformance) }),
    ...(metadata.length === 0 ? {} : over(all, 'metadata', metadataOf(metadata))),
    ...(facturX === undefined
      ? {}
      : { factur_x: { profile: profile ?? defaultProfile, xml: (await readLocalFile(facturX)).toString('utf8') } }),
    ...(watermark === undefined ? {} : over(all, 'watermark', { text: watermark })),
    ...(watermarkImage === undefined
      ? {}
      : over(all, 'watermark', { image: (await readLocalFile(watermarkImage)).toString('base64') })),
    ...(pageNumbers === undefined
      ? {}
      : over(all, 'page_numbers', pageNumbers === true ? {} : { format: pageNumbers })),
    ...(contents === undefined || isObject(all['contents']) ? {} : { contents: true }),
    ...(encrypt === undefined ? {} : over(all, 'encryption', await readPasswords(encrypt))),
  };
};

/**
 * The options of a render from `--options`, `--option`, the named arguments, which override these, and the extension of the
 * file to write. @throws UsageError
 */
export const readRenderOptions = async (args: RenderOptionArguments): Promise<Record<string, unknown>> => {
  const { option, options, output } = args;
  const fromFile: unknown =
    options === undefined ? {} : parseJsonFile(options, (await readLocalFile(options)).toString());
  if (!isObject(fromFile)) throw new UsageError(`${options} must be a JSON object with options of POST /render.`);
  const named = namedValues('--option', option).map(([name, text]) => [name, parseValue(name, text)] as const);
  const given = { ...fromFile, ...Object.fromEntries(named) };
  const all = { ...given, ...(await namedOptions(args, given)) };
  return { ...all, ...outputOptionOf(output, all) };
};

/** The files that the arguments name, besides the documents. */
export const filesOfOptions = (options: RenderOptionArguments): string[] =>
  [options.options, ...options.attach, options.facturX, options.watermarkImage, options.encrypt].filter(
    (file) => file !== undefined,
  );

const mediaTypes: Record<string, string> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** Adds the files of `--attach` to a form, each by the last part of its path. @throws UsageError */
export const appendAttachments = async (form: FormData, { attach }: RenderOptionArguments): Promise<void> => {
  for (const file of attach) {
    const bytes = (await readLocalFile(file)) as Uint8Array<ArrayBuffer>;
    const type = mediaTypes[/\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''] ?? '';
    form.append('attachments', new Blob([bytes], { type }), basename(file));
  }
};
