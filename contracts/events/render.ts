import { z } from 'zod';
import { encryptionPermissions } from '../http/encryption.ts';
import { errorNames } from '../http/errors.ts';
import { maxFileNameLength } from '../http/file-name.ts';
import { largeOptions } from '../http/large-options.ts';
import { outputContentTypes } from '../http/output.ts';
import { namedRenderOptions } from '../http/render-options.ts';
import { renderModes } from '../render-modes.ts';
import { inputTypes } from '../http/render.ts';
import { maxUrlLength, maxCookieLength, maxCookies } from '../http/page-request.ts';
import { mask, maxHeaderLength, maxHeaders } from '../http/request-headers.ts';
import { maxWebhookUrlLength, webhookMethods } from '../http/webhook.ts';
import { anyFields, ascii, entries, identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { renderWarnings } from './render-warnings.ts';

/** The hex SHA-256 of a blob, and its size in bytes. */
export const blobRef = z.object({ sha256: identifier(), size: z.number().int() });
export type BlobRef = z.output<typeof blobRef>;

/** The images, fonts and style sheets that were sent with the document, see libs/documents/assets/bundle.ts. */
const assetBundle = blobRef.optional();

/** The names of headers, with `***` in place of the values. */
const maskedHeaders = entries(ascii(maxHeaderLength.name), ascii(mask.length), maxHeaders);

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
 * The target of a webhook without its secrets: `***` replaces the header values and possible credentials in the URL.
 * `sealed` is the blob of the sealed box with the original URL and headers. It is erased when the delivery has ended,
 * and null if nothing is masked.
 */
export const webhookTarget = z.object({
  url: z.string().max(maxWebhookUrlLength),
  urlIsMasked: z.boolean(),
  method: z.enum(webhookMethods),
  headers: maskedHeaders,
  sealed: blobRef.nullable(),
});
export type WebhookTarget = z.output<typeof webhookTarget>;

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

const renderRequested = z.object({
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

const renderStarted = z.object({
  attempt: z.number().int(),
  worker: text(500),
  /** From the request to this claim. */
  queueMs: z.number(),
});

const renderDurations = z.object({
  queueMs: z.number(),
  prepareMs: z.number(),
  waitMs: z.number(),
  loadMs: z.number(),
  printMs: z.number(),
  /** Stamps, conformance, attachments, encryption, images, and the merge of parts. Absent: there was nothing to do. */
  finishMs: z.number().optional(),
  totalMs: z.number(),
});
export type RenderDurations = z.output<typeof renderDurations>;

export const renderModeReasonText = text(1000);

/** The error of the response, as in the table of errors. */
const recordedError = z.object({ name: z.enum(errorNames), message: text(2000), extra: anyFields(24_000) });

/** The page that was printed: its URL after redirects, masked, and the status of its response. */
const printedPage = z.object({ url: ascii(maxUrlLength), status: z.number().int() });

const renderCompleted = z.object({
  attempt: z.number().int(),
  /** The input type, or `template`, or `composition`. */
  input: z.enum([...inputTypes, 'template', 'composition']),
  /** What was made: the PDF, or its pages as images. */
  pdf: blobRef,
  /** The media type of images. Absent: a PDF. */
  contentType: z.enum(outputContentTypes).optional(),
  /** The image of the first page beside the PDF; stored as long as the PDF. */
  thumbnail: blobRef.optional(),
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  /** When the PDF expires; null if it is not stored. */
  keptUntil: identifier().nullable(),
  pages: z.number().int(),
  durations: renderDurations,
  renderMode: z.enum(renderModes),
  renderModeReason: renderModeReasonText,
  engine: text(500),
  warnings: renderWarnings,
  page: printedPage.optional(),
});

const renderFailed = z.object({
  attempt: z.number().int(),
  error: recordedError,
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  totalMs: z.number(),
  /**
   * If the service failed: the day (`YYYY-MM-DD`, UTC; in early events the month) whose quota the render is refunded
   * to. Else null.
   */
  quotaRefundDate: identifier().nullable(),
  /** The number of renders that are refunded. Absent: 1. */
  quotaRefund: z.number().int().optional(),
});

/** The sealed box with the headers and cookies for a page was erased, because the render has ended. */
const pageSecretsErased = z.object({ sha256: identifier() });

/** The stored PDF was erased. Its hash stays in RenderCompleted. */
const pdfErased = z.object({ sha256: identifier() });

/** A PDF was stored, but the render has failed or has another one. It cannot be downloaded, and is erased after `eraseAfter`. */
const pdfDiscarded = z.object({ pdf: blobRef, thumbnail: blobRef.optional(), eraseAfter: identifier() });

/** A caller needs the PDF, which was not stored: after a lost reply, or by the same Idempotency-Key. */
const pdfRegenerationRequested = z.object({});

/**
 * The PDF was rendered again and stored until `keptUntil`. Both are null if this failed, or if the new PDF has other
 * bytes.
 */
const pdfRegenerationEnded = z.object({ pdf: blobRef.nullable(), keptUntil: identifier().nullable() });

/** A caller requested the diagnostics of an ended render. */
const diagnosisRequested = z.object({});

/**
 * The document was rendered again to collect diagnostics. The blob is JSON, see `diagnosis` in
 * contracts/http/diagnostics.ts.
 */
const renderDiagnosed = z.object({ diagnosis: blobRef });

/**
 * A caller asked whether the recorded request still gives the recorded PDF. With `keepPdf` the new PDF is stored for at
 * most an hour if it does.
 */
const verificationRequested = z.object({ keepPdf: z.boolean() });

/**
 * The document was rendered again and compared with the recorded PDF. `firstDifference` is the offset of the first byte
 * that differs; null if none does, or if that PDF was no longer stored. `keptUntil` is null if the new one was not stored.
 */
const renderVerified = z.object({
  outcome: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('rendered'),
      pdf: blobRef,
      thumbnail: blobRef.optional(),
      pages: z.number().int(),
      engine: text(500),
      firstDifference: z.number().int().nullable(),
      page: printedPage.optional(),
    }),
    z.object({ kind: z.literal('failed'), error: recordedError }),
  ]),
  keptUntil: identifier().nullable(),
});

export const renderEvents = {
  RenderRequested: renderRequested,
  RenderStarted: renderStarted,
  RenderCompleted: renderCompleted,
  RenderFailed: renderFailed,
  PageSecretsErased: pageSecretsErased,
  PdfErased: pdfErased,
  PdfDiscarded: pdfDiscarded,
  PdfRegenerationRequested: pdfRegenerationRequested,
  PdfRegenerationEnded: pdfRegenerationEnded,
  DiagnosisRequested: diagnosisRequested,
  RenderDiagnosed: renderDiagnosed,
  VerificationRequested: verificationRequested,
  RenderVerified: renderVerified,
} as const;

export type RenderEvent = EventsIn<typeof renderEvents>;
