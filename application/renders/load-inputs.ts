import { readContent, readVariablesAndOptions } from '#application/templates/content.ts';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { blobsOfPart, type Composition, composition } from '#contracts/events/composition.ts';
import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { RenderSource } from '#contracts/events/render-request.ts';
import { decodeLargeOptions } from '#contracts/http/large-options.ts';
import { type NamedRenderOptions, withDefaultOptions } from '#contracts/http/render-options.ts';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import type { PageToLoad } from '#libs/chromium/print-request.ts';
import { textWidthMm } from '#libs/chromium/pdf/text-width.ts';
import type { DocumentPreparation } from '#libs/documents/document-preparation.ts';
import type { TaskOptions } from '#libs/documents/worker-pool.ts';
import type { PreparedDocument } from '#libs/documents/prepared-document.ts';
import type { TemplateInput } from '#libs/documents/prepare.ts';
import { pageClassification } from '#libs/documents/html/classify.ts';
import { inputBlobs } from '#libs/domain/render-inputs.ts';
import { labelsFor } from '#libs/templating/labels.ts';
import type { Office } from '#libs/office/port.ts';
import { chooseLayout } from './office-layout.ts';
import { noPageSecrets, type PageSecrets, requireNoPageSecrets } from './page-secrets.ts';

export type RenderRequestedData = EventData['RenderRequested'];

type ReadBlobs = Pick<BlobStore, 'get'>;

/** The recorded parts of a composed document. @throws BlobNotFound */
export const readComposition = async (
  blobs: ReadBlobs,
  { manifest }: Extract<RenderSource, { mode: 'COMPOSE' }>,
): Promise<Composition> =>
  composition.parse(JSON.parse(Buffer.from(await blobs.get(manifest.sha256)).toString('utf8')));

/** The blobs of all parts of a composed document; none for other renders. @throws BlobNotFound */
export const blobsOfParts = async (blobs: ReadBlobs, { source }: RenderRequestedData): Promise<BlobRef[]> =>
  source.mode === 'COMPOSE' ? (await readComposition(blobs, source)).parts.flatMap(blobsOfPart) : [];

/**
 * The blob store with the inputs of the render already read. Those of the parts of a composed document are only looked
 * for, since together they can be large. @throws BlobNotFound
 */
export const preloadInputs = async (blobs: BlobStore, requested: RenderRequestedData): Promise<BlobStore> => {
  for (const { sha256 } of await blobsOfParts(blobs, requested))
    if (!(await blobs.has(sha256))) throw new BlobNotFound(sha256);
  const read = new Map(
    await Promise.all(inputBlobs(requested).map(async ({ sha256 }) => [sha256, await blobs.get(sha256)] as const)),
  );
  return { ...blobs, get: async (sha256) => read.get(sha256) ?? blobs.get(sha256) };
};

const readText = async (blobs: BlobStore, ref: { sha256: string } | null): Promise<string | null> =>
  ref && Buffer.from(await blobs.get(ref.sha256)).toString('utf8');

/** The options that the request or the template names. */
export const readNamedOptions = async (
  blobs: BlobStore,
  { options, headerFooter, largeOptions }: RenderRequestedData,
): Promise<NamedRenderOptions> => {
  const large = largeOptions ? decodeLargeOptions(await blobs.get(largeOptions.sha256)) : {};
  const [header, footer] = [await readText(blobs, headerFooter.header), await readText(blobs, headerFooter.footer)];
  return {
    ...options,
    ...large,
    ...(header !== null && { header_html: header }),
    ...(footer !== null && { footer_html: footer }),
  };
};

type ConvertSource = Extract<RenderSource, { mode: 'CONVERT' }>;

/** The bundle of assets of a source; no field if it has none. @throws BlobNotFound */
export const readAssets = async (blobs: BlobStore, { assets }: RenderSource): Promise<{ assets?: Uint8Array }> =>
  assets ? { assets: await blobs.get(assets.sha256) } : {};

/** A function that prepares the document; for a page at a URL, the page; for a template, what fills it in. */
type LoadedSource = {
  prepare: (options: TaskOptions) => Promise<PreparedDocument>;
  page?: PageToLoad;
  template?: TemplateInput;
};

const loadPage = async (
  blobs: BlobStore,
  source: ConvertSource,
  pageSecrets: PageSecrets | undefined,
): Promise<LoadedSource> => {
  if (!pageSecrets) requireNoPageSecrets(source);
  const url = Buffer.from(await blobs.get(source.input.sha256)).toString('utf8');
  return {
    prepare: async () => ({ html: '', classification: pageClassification }),
    page: { url, ...(pageSecrets ?? noPageSecrets) },
  };
};

/** Without `office`, LibreOffice lays no document out. */
export type InputDependencies = { blobs: BlobStore; preparation: DocumentPreparation; office?: Office | undefined };

/** Reads the inputs of a render. */
export const loadSource = async (
  { blobs, preparation, office }: InputDependencies,
  requested: RenderRequestedData,
  pageSecrets: PageSecrets | undefined,
): Promise<LoadedSource> => {
  const {
    source,
    options: { locale, time_zone, base_url: baseUrl },
    accountDefaults,
    limits: { maxImages },
  } = requested;
  if (source.mode === 'CONVERT') {
    const { inputType } = source;
    if (inputType === 'url') return loadPage(blobs, source, pageSecrets);
    const { isLaidOutByOffice, warnings } = chooseLayout(office, inputType, requested.options);
    const [data, assets] = await Promise.all([blobs.get(source.input.sha256), readAssets(blobs, source)]);
    const context = {
      locale,
      defaultLocale: accountDefaults?.locale,
      baseUrl,
      // HTML has a layout of its own.
      ...(inputType !== 'html' && { textWidthMm: textWidthMm(withDefaultOptions(requested.options)) }),
      namedOptions: requested.options,
      fileName: source.upload?.fileName ?? requested.fileName,
      ...(source.upload && { isFile: true }),
    };
    const input = { inputType, data, maxImages, isLaidOutByOffice, ...context, ...assets };
    return {
      prepare: async (options) => {
        const prepared = await preparation.prepare(input, options);
        return warnings.length === 0
          ? prepared
          : { ...prepared, warnings: [...warnings, ...(prepared.warnings ?? [])] };
      },
    };
  }
  if (source.mode === 'COMPOSE') throw new Error('The parts of a composed document are loaded one by one.');
  const [content, settings, data, assets] = await Promise.all([
    readContent(blobs, source),
    readVariablesAndOptions(blobs, source),
    blobs.get(source.data.sha256),
    readAssets(blobs, source),
  ]);
  const { variables } = settings;
  const templateLocale = locale ?? accountDefaults?.locale ?? 'en';
  const input = {
    content,
    contentHash: source.content.sha256,
    data,
    variables,
    locale: templateLocale,
    labels: labelsFor(settings.labels, templateLocale),
    timeZone: time_zone ?? accountDefaults?.timeZone ?? 'UTC',
    maxImages,
    baseUrl,
    ...assets,
  };
  return { prepare: (options) => preparation.prepareTemplate(input, options), template: input };
};
