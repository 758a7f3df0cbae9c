import type { RenderAccountDefaults, RenderSource, SealedEncryption } from '#contracts/events/render-request.ts';
import type { NamedRenderOptions } from '#contracts/http/render-options.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { ReadCache } from '#libs/concurrency/read-cache.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import type { ReadYourWrites } from '#application/command-handling/read-your-writes.ts';
import type { PageSecrets } from './page-secrets.ts';

/**
 * The bytes of long texts of a body, and the files of its `attachments` by their index: null for one without valid data.
 */
export type LongTexts = {
  data?: Uint8Array;
  header_html?: Uint8Array;
  footer_html?: Uint8Array;
  attachments?: (Uint8Array | null)[];
};

/** The options with the files of the body. Without such files the attachments can be those of the template. */
export const withAttachedFiles = (
  options: NamedRenderOptions,
  { attachments: files }: LongTexts,
): NamedRenderOptions =>
  files && options.attachments
    ? { ...options, attachments: options.attachments.map((file, at) => ({ ...file, data: files[at] ?? file.data })) }
    : options;

/**
 * What was uploaded: `file` is set if `longTexts.data` is the bytes of a file, and so is each of `parts` for `partTexts`;
 * `assets` is a bundle.
 */
export type Upload = { file: UploadedFile | null; assets: Uint8Array | null; parts?: (UploadedFile | null)[] };
export type UploadedFile = { fileName: string | null };
export type ReceivedContent = { longTexts: LongTexts; partTexts?: LongTexts[]; upload?: Upload | null };

/** `headerHtml` and `footerHtml` are the bytes of header_html and footer_html. */
export type RenderInput = {
  source: RenderSource;
  /** Without `encryption`, which has passwords. */
  options: NamedRenderOptions;
  encryption?: SealedEncryption;
  /** What the account adds to the options; absent if nothing. */
  accountDefaults?: RenderAccountDefaults;
  headerHtml: Uint8Array | null;
  footerHtml: Uint8Array | null;
  /** For the input type url: the request of the page with its secrets. */
  page?: PageSecrets & { url: string };
};

export type RenderContent = Pick<RenderInput, 'source' | 'options' | 'page'>;

/** `templates` is keyed by bare id. */
export type SourceDependencies = {
  reads: ReadStore;
  templates: ReadCache<TemplateDocument>;
  inputs: BlobStore;
  readYourWrites: ReadYourWrites;
  secrets: InstallationSecrets;
};
