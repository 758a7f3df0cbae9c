import { z } from 'zod';
import { encryptionPermissions } from '../http/encryption.ts';
import { maxFileNameLength } from '../http/file-name.ts';
import { largeOptions } from '../http/large-options.ts';
import { maxCookieLength, maxCookies, maxUrlLength } from '../http/page-request.ts';
import { inputTypes } from '../http/render.ts';
import { namedRenderOptions } from '../http/render-options.ts';
import { mask } from '../http/request-headers.ts';
import { blobRef } from './blob-ref.ts';
import { ascii, entries, identifier, list, text } from './bounded.ts';
import { maskedHeaders, webhookTarget } from './webhook-target.ts';

/** The images, fonts and style sheets that were sent with the document, see libs/documents/assets/bundle.ts. */
const assetBundle = blobRef.optional();

/**
 * How a page is requested, without its secrets: `***` replaces possible secrets in the URL and all values. `sealed`
 * is the blob of the sealed box with the headers and cookies. It is erased when the render has ended, and null if there
 * are none.
 */
const pageRequest = z.object({
  url: ascii(maxUrlLength),
  headers: maskedHeaders,
  cookies: entries(ascii(maxCookieLength.name), ascii(mask.length), maxCookies),
  sealed: blobRef.nullable(),
});
export type PageRequest = z.output<typeof pageRequest>;

export const renderSource = z.discriminatedUnion('mode', [
  z.object({
    mode: z.literal('CONVERT'),
    inputType: z.enum(inputTypes),
    input: blobRef,
    /**
     * The input is the bytes of an uploaded file, not text or base64; `fileName` is the name of the file, if it has
     * one.
     */
    upload: z.object({ fileName: text(500).nullable() }).optional(),
    assets: assetBundle,
    /** Only for the input type url, whose input is the URL. */
    page: pageRequest.optional(),
  }),
  z.object({
    mode: z.literal('RENDER'),
    templateId: identifier(),
    templateVersion: z.number().int(),
    content: blobRef,
    data: blobRef,
    /** The JSON of the version's variables and default options. */
    settings: blobRef,
    assets: assetBundle,
  }),
  z.object({
    mode: z.literal('COMPOSE'),
    /** The JSON of the parts, see contracts/events/composition.ts. */
    manifest: blobRef,
    parts: z.number().int(),
    /** The number of renders that it counts as. */
    renders: z.number().int(),
    assets: assetBundle,
  }),
]);
export type RenderSource = z.output<typeof renderSource>;

/**
 * How the PDF is encrypted. `given` says which passwords the request has; `sealed` is the blob of the sealed box with them.
 * It is kept like the input, so that the same PDF can be made again.
 */
const pdfEncryption = z.object({
  permissions: z.object(encryptionPermissions.shape),
  encryptMetadata: z.boolean(),
  given: list(z.enum(['user', 'owner']), 2),
  sealed: blobRef,
});
export type SealedEncryption = z.output<typeof pdfEncryption>;

/** The limits of the account when the render was accepted. Null is unlimited. */
const renderLimits = z.object({
  processingMs: z.number().int(),
  scriptMs: z.number().int(),
  maxPages: z.number().int().nullable(),
  maxImages: z.number().int().nullable(),
  maxPdfBytes: z.number().int().nullable(),
});

/**
 * How the caller receives the result. `wait`: in the response, and the PDF is stored only with the option `keep_pdf`.
 * `poll`: the caller polls the job. `webhook`: by a webhook. `estimatedMs` is the estimate in the response.
 */
const responseMode = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('wait') }),
  z.object({ kind: z.literal('poll'), estimatedMs: z.number().int() }),
  z.object({
    kind: z.literal('webhook'),
    estimatedMs: z.number().int(),
    ...webhookTarget.shape,
  }),
]);
export type ResponseMode = z.output<typeof responseMode>;

/** The default locale and time zone of an account. */
const renderAccountDefaults = z.object({
  locale: identifier().optional(),
  timeZone: identifier().optional(),
});
export type RenderAccountDefaults = z.output<typeof renderAccountDefaults>;

export const renderRequested = z.object({
  accountId: identifier(),
  /** Null: a person asked for it in the dashboard. */
  keyId: identifier().nullable(),
  keyType: z.enum(['live', 'test']),
  source: renderSource,
  /**
   * The options that the request or the template names, as sent. The others have the defaults of contracts/http: a
   * default that changes needs a new version of this event, so that earlier renders keep the old one. Without the HTML
   * of header and footer and other large options, without the file name, and without secrets.
   */
  options: namedRenderOptions
    .omit({ header_html: true, footer_html: true, file_name: true, encryption: true, ...largeOptions })
    .extend({ base_url: ascii(maxUrlLength).optional() }),
  /** The JSON of the options that contracts/http/large-options.ts names. Absent: none of them is named. */
  largeOptions: blobRef.optional(),
  /** The file name of the PDF. Absent: `render_<id>.pdf`. */
  fileName: text(6 * maxFileNameLength + 2).optional(),
  headerFooter: z.object({ header: blobRef.nullable(), footer: blobRef.nullable() }),
  encryption: pdfEncryption.optional(),
  limits: renderLimits,
  /** True for POST /templates/{id}/test. Such a render counts neither toward the quota nor as template usage. */
  templateTest: z.boolean(),
  /**
   * The settings of the account that applied when the render was accepted. They come after the options, and after the
   * language of a converted document. Absent: the account had none, or the options name them.
   */
  accountDefaults: renderAccountDefaults.optional(),
  /** How long a kept PDF is stored. Absent: 60. */
  pdfRetentionMinutes: z.number().int().optional(),
  /** The id of the render whose recorded request was repeated. */
  repeatedFrom: identifier().optional(),
  responseMode,
});
