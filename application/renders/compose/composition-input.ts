import type { Composition, RecordedPart } from '#contracts/events/composition.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderSource } from '#contracts/events/render-request.ts';
import { ApiError, errorOfPart, invalidField, throwErrors } from '#contracts/http/api-error.ts';
import { type ComposePart, type ComposeRequest, pageOptionsOf, wholeOptionNames } from '#contracts/http/compose.ts';
import { mergeRenderOptions, type NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { LongTexts, RenderContent, SourceDependencies, UploadedFile } from '../render-content.ts';
import { toRecordedPdf } from './recorded-parts.ts';
import { maskUrl } from '#libs/domain/webhook-url.ts';

/** Stores the content of a part that is no PDF, with the options of its template, if any. */
export type StorePart = (
  part: Exclude<ComposePart, { mode: 'PDF' }>,
  data: Uint8Array,
  file: UploadedFile | null,
) => Promise<RenderContent>;

/** One character after the other, so that the time is linear: a caller chooses the text. */
const notBase64 = /[^A-Za-z0-9+/\s]/;

const pdfBytes = (text: string): Uint8Array => {
  const content = text.replace(/^data:application\/pdf;base64,/, '');
  if (notBase64.test(content.trimEnd().replace(/={1,2}$/, '')))
    throw invalidField('data', 'data must be a PDF in base64.');
  return Buffer.from(content, 'base64');
};

const storedSource = ({ source, page }: RenderContent): RenderSource =>
  page && source.mode === 'CONVERT'
    ? { ...source, page: { url: maskUrl(page.url).url, headers: {}, cookies: {}, sealed: null } }
    : source;

/**
 * `longTexts` are those of the whole request, `partTexts` those of each part, which are the bytes of a file where `files`
 * has one; `assets` is a bundle for all parts.
 */
export type PartContent = {
  longTexts: LongTexts;
  partTexts: readonly LongTexts[];
  files: readonly (UploadedFile | null)[];
  assets: BlobRef | null;
  storePart: StorePart;
};

const textOf = (html: string | null | undefined, long: Uint8Array | undefined): string | null | undefined =>
  long ? Buffer.from(long).toString('utf8') : html;

const withLongTexts = (options: NamedRenderOptions, { header_html: header, footer_html: footer }: LongTexts) => ({
  ...options,
  ...(options.header_html === undefined ? {} : { header_html: textOf(options.header_html, header) }),
  ...(options.footer_html === undefined ? {} : { footer_html: textOf(options.footer_html, footer) }),
});

/** The options of a part over those of the whole document, and these over those of its template. */
const optionsOf = (ofTemplate: NamedRenderOptions, whole: NamedRenderOptions, own: NamedRenderOptions) =>
  mergeRenderOptions<NamedRenderOptions>(mergeRenderOptions<NamedRenderOptions>(ofTemplate, whole), own);

/**
 * Stores the parts of a composed document and their manifest.
 * @throws ApiError of all parts that are wrong, each with the path of its part
 */
export const storeComposition = async (
  { inputs }: Pick<SourceDependencies, 'inputs'>,
  request: ComposeRequest,
  { longTexts, partTexts, files, assets, storePart }: PartContent,
): Promise<{ source: Extract<RenderSource, { mode: 'COMPOSE' }>; options: NamedRenderOptions }> => {
  const { mode: _mode, parts, contents, start_on: startOn, ...options } = request;
  const wholePage = withLongTexts(pageOptionsOf(options), longTexts);
  const store = async (html: string | null | undefined): Promise<BlobRef | null> =>
    html ? inputs.put(Buffer.from(html)) : null;

  const storeOne = async (part: ComposePart, index: number): Promise<RecordedPart> => {
    const texts = partTexts[index] ?? {};
    const file = files[index] ?? null;
    const { title, cover, start_on: ownStart = startOn } = part;
    const named = {
      ...(title === undefined ? {} : { title }),
      ...(cover === undefined ? {} : { cover }),
      ...(ownStart === undefined ? {} : { startOn: ownStart }),
    };
    if (part.mode === 'PDF') {
      const { page_ranges: pageRanges = options.page_ranges } = part;
      const pdf =
        file && texts.data ? texts.data : pdfBytes(texts.data ? Buffer.from(texts.data).toString('latin1') : part.data);
      return {
        ...named,
        source: {
          mode: 'PDF',
          input: await inputs.put(toRecordedPdf(pdf)),
          ...(file?.fileName ? { upload: { fileName: file.fileName.slice(0, 500) } } : {}),
        },
        options: pageRanges === undefined ? {} : { page_ranges: pageRanges },
        headerFooter: { header: null, footer: null },
      };
    }
    const data =
      texts.data ??
      Buffer.from(part.mode === 'RENDER' || typeof part.data !== 'string' ? JSON.stringify(part.data) : part.data);
    const content = await storePart(part, data, file);
    const own = withLongTexts(pageOptionsOf(part), texts);
    const ofTemplate = part.mode === 'RENDER' ? pageOptionsOf(content.options) : {};
    const ignored =
      part.mode === 'RENDER' ? wholeOptionNames(content.options).filter((name) => !(name in options)) : [];
    const { header_html: header, footer_html: footer, ...page } = optionsOf(ofTemplate, wholePage, own);
    const source = storedSource(content);
    return {
      ...named,
      source: assets && source.mode !== 'COMPOSE' ? { ...source, assets } : source,
      options: page,
      headerFooter: {
        header: await store(header),
        footer: await store(footer),
      },
      ...(ignored.length > 0 && { ignoredOptions: ignored }),
    };
  };

  const errors: ApiError[] = [];
  const recorded: RecordedPart[] = [];
  for (const [index, part] of parts.entries())
    try {
      recorded.push(await storeOne(part, index));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      errors.push(errorOfPart(`parts[${index}]`, error));
    }
  throwErrors(errors);
  const manifest: Composition = {
    parts: recorded,
    contents: contents === undefined || contents === false ? null : contents === true ? {} : contents,
  };
  const made = parts.filter((part) => part.mode !== 'PDF').length;
  return {
    source: {
      mode: 'COMPOSE',
      manifest: await inputs.put(Buffer.from(JSON.stringify(manifest))),
      parts: parts.length,
      renders: Math.max(1, made),
    },
    options,
  };
};
