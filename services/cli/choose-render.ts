import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TemporaryService } from '../process/temporary-service.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { UsageError } from '../process/command-context.ts';
import { findLocalAssets, type LocalAsset, readLocalFile } from './local-files.ts';
import { isFolder, type LocalParts, readPartsFile, readPartsOfFiles } from './local-parts.ts';
import { appendAttachments, readRenderOptions, type RenderOptionArguments } from './render-options.ts';
import { type ErrorResponse, errorText, RenderError, unknownTypeText } from './render-errors.ts';
import type { RenderedFile } from './render-output.ts';
import { hasTemplateFields, parseJsonFile, readSample, readTemplateFolder, templateFiles } from './template-files.ts';

/** The arguments of `colophon render`, besides its files. */
export type RenderArguments = RenderOptionArguments & {
  data?: string;
  compose?: true;
  inputType?: string;
  watch?: true;
};

/** Sends a request to the service. @throws RenderError with the messages of an error */
const send = async <T>(
  { url, key }: TemporaryService,
  path: string,
  body: FormData | object,
  messageOf: (error: ErrorResponse) => string,
): Promise<T> => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  const result: unknown = await response.json();
  if (!response.ok) throw new RenderError(messageOf(result as ErrorResponse), result as ErrorResponse);
  return result as T;
};

const errorTextOf =
  (file: string) =>
  (error: ErrorResponse): string =>
    errorText(error, file);

const fileNameOf = (file: string, inputType: string | undefined): string => {
  if (file !== '-') return basename(file);
  if (inputType !== undefined) return 'document';
  throw new UsageError('--input-type is needed for a document from standard input.');
};

const appendAssets = (form: FormData, assets: readonly LocalAsset[]): void => {
  for (const { bytes, name } of assets) form.append('assets', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
};

/** A render of the command's arguments, with the files that it read. */
export type Run = { rendered: RenderedFile; files: string[] };

const renderDocument = async (service: TemporaryService, file: string, options: RenderArguments): Promise<Run> => {
  const name = fileNameOf(file, options.inputType);
  const [bytes, renderOptions] = await Promise.all([
    file === '-' ? buffer(process.stdin) : readLocalFile(file),
    readRenderOptions(options),
  ]);
  const isText = /\.(?:html?|md|markdown)$/i.test(name) || ['html', 'markdown'].includes(options.inputType ?? '');
  const assets = isText && file !== '-' ? await findLocalAssets(file, bytes.toString('utf8')) : [];
  const form = new FormData();
  const inputType = options.inputType === undefined ? {} : { input_type: options.inputType };
  form.append('options', JSON.stringify({ ...renderOptions, ...inputType }));
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  appendAssets(form, assets);
  await appendAttachments(form, options);
  const isNamed = inputType.input_type !== undefined || renderOptions['input_type'] !== undefined;
  const rendered = await send<RenderedFile>(service, '/render', form, (error) =>
    error.error === 'invalid_input_type' && !isNamed ? unknownTypeText(error, file) : errorText(error, file),
  );
  return { rendered, files: [file, ...assets.map((asset) => asset.file)] };
};

let templateCount = 0;

/** Stores a template for one render. Returns its id. */
const createTemplate = async (
  service: TemporaryService,
  template: object,
  messageOf: (error: ErrorResponse) => string,
): Promise<string> => {
  templateCount += 1;
  // A template without a description has null there, which is no value of a request.
  const named = { ...template, description: undefined, name: `template ${templateCount}` };
  return (await send<{ id: string }>(service, '/templates', named, messageOf)).id;
};

/** The messages of an error of a template; where its other files lie beside it, with the command that uses them. */
const templateErrorTextOf = async (path: string): Promise<(error: ErrorResponse) => string> => {
  const isInFolder = basename(path) === templateFiles.content && (await hasTemplateFields(dirname(path)));
  const advice = `\n${path} is part of the template in ${dirname(path)}. Render the folder: colophon render ${dirname(path)}`;
  return (error) => errorText(error, path) + (isInFolder ? advice : '');
};

const renderTemplate = async (service: TemporaryService, path: string, options: RenderArguments): Promise<Run> => {
  const inFolder = await isFolder(path);
  const contentFile = inFolder ? join(path, templateFiles.content) : path;
  const [template, data, renderOptions] = await Promise.all([
    inFolder ? readTemplateFolder(path) : readLocalFile(path).then((bytes) => ({ content: bytes.toString() })),
    options.data === undefined
      ? readSample(path)
      : readLocalFile(options.data).then((bytes) => parseJsonFile(options.data!, bytes.toString(), parseExactJson)),
    readRenderOptions(options),
  ]);
  const messageOf = inFolder ? errorTextOf(contentFile) : await templateErrorTextOf(path);
  const id = await createTemplate(service, template, messageOf);
  const assets = await findLocalAssets(contentFile, template.content);
  const form = new FormData();
  form.append('options', JSON.stringify(renderOptions));
  form.append('template_id', id);
  form.append('data', JSON.stringify(data ?? {}));
  appendAssets(form, assets);
  await appendAttachments(form, options);
  const rendered = await send<RenderedFile>(service, '/render', form, errorTextOf(contentFile));
  return { rendered, files: assets.map((asset) => asset.file) };
};

/** Renders the parts that a JSON file or the arguments name, see local-parts.ts. */
const renderComposition = async (
  service: TemporaryService,
  { parts, whole, files, assets, templates, labels }: LocalParts,
  options: RenderArguments,
): Promise<Run> => {
  for (const { part, path } of templates) {
    const template = await readTemplateFolder(path);
    part['template_id'] = await createTemplate(service, template, errorTextOf(join(path, templateFiles.content)));
    part['data'] ??= (await readSample(path)) ?? {};
  }
  const form = new FormData();
  form.append('options', JSON.stringify({ ...whole, ...(await readRenderOptions(options)), mode: 'COMPOSE', parts }));
  for (const { name, bytes } of files) form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  appendAssets(form, assets);
  await appendAttachments(form, options);
  const labelOf = ({ part = '' }: ErrorResponse): string => labels[Number(/\d+/.exec(part)?.[0])] ?? 'the document';
  const rendered = await send<RenderedFile>(service, '/render', form, (error) => errorText(error, labelOf(error)));
  const ofTemplates = templates.flatMap(({ path }) => Object.values(templateFiles).map((name) => join(path, name)));
  return { rendered, files: [...files.map(({ path }) => path), ...assets.map(({ file }) => file), ...ofTemplates] };
};

/** Finds mistakes in the arguments before the service starts, and chooses what to render. @throws UsageError */
export const chooseRender = async (
  [file, ...others]: readonly [string, ...string[]],
  options: RenderArguments,
): Promise<{ run: (service: TemporaryService) => Promise<Run>; documents: string[] }> => {
  const { data, watch, output, compose, contents, inputType, attach } = options;
  if (watch && (file === '-' || output === '-'))
    throw new UsageError('--watch needs a file to read and a file to write.');
  for (const attached of attach) await readLocalFile(attached);
  await readRenderOptions(options);
  if (others.length > 0) {
    const all = [file, ...others];
    if (compose || data !== undefined || inputType !== undefined || all.includes('-'))
      throw new UsageError('Several files are the parts of one PDF. Leave out --compose, --data, --input-type and -.');
    if (output === undefined) throw new UsageError('Several files are the parts of one PDF: name it with -o.');
    await readPartsOfFiles(all);
    return {
      run: async (service) => renderComposition(service, await readPartsOfFiles(all), options),
      documents: all,
    };
  }
  const inFolder = await isFolder(file);
  const isTemplate = data !== undefined || inFolder;
  if (compose && isTemplate) throw new UsageError('--compose needs a JSON file with the parts, and no --data.');
  if (contents && !compose) throw new UsageError('--contents needs several files, or --compose.');
  if (compose) {
    await readPartsFile(file);
    return {
      run: async (service) => renderComposition(service, await readPartsFile(file), options),
      documents: [file],
    };
  }
  if (!isTemplate) fileNameOf(file, inputType);
  if (!inFolder && file !== '-') await readLocalFile(file);
  const render = isTemplate ? renderTemplate : renderDocument;
  const documents = inFolder ? Object.values(templateFiles).map((name) => join(file, name)) : [file];
  return { run: (service) => render(service, file, options), documents };
};
