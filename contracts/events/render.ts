import { z } from 'zod';
import { errorNames } from '../http/errors.ts';
import { renderOptions } from '../http/render-options.ts';
import { renderModes } from '../render-modes.ts';
import { inputTypes } from '../http/render.ts';
import { maxWebhookHeaderLength, maxWebhookHeaders, maxWebhookUrlLength, webhookMethods } from '../http/webhook.ts';
import { anyFields, ascii, entries, identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** The hex SHA-256 of a blob, and its size in bytes. */
export const blobRef = z.object({ sha256: identifier(), size: z.number().int() });
export type BlobRef = z.output<typeof blobRef>;

export const renderSource = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('CONVERT'), inputType: z.enum(inputTypes), input: blobRef }),
  z.object({
    mode: z.literal('RENDER'),
    templateId: identifier(),
    templateVersion: z.number().int(),
    content: blobRef,
    data: blobRef,
    /** The JSON of the version's variables and default options. */
    settings: blobRef,
  }),
]);
export type RenderSource = z.output<typeof renderSource>;

/** The limits of the account when the render was accepted. Null is unlimited. */
export const renderLimits = z.object({
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
  headers: entries(ascii(maxWebhookHeaderLength.name), ascii(maxWebhookHeaderLength.value), maxWebhookHeaders),
  sealed: blobRef.nullable(),
});
export type WebhookTarget = z.output<typeof webhookTarget>;

/**
 * How the caller receives the result. `wait`: in the response, and the PDF is not stored. `poll`: the caller polls the
 * job.
 * `webhook`: by a webhook. `estimatedMs` is the estimate in the response.
 */
export const responseMode = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('wait') }),
  z.object({ kind: z.literal('poll'), estimatedMs: z.number().int() }),
  z.object({
    kind: z.literal('webhook'),
    estimatedMs: z.number().int(),
    ...webhookTarget.shape,
  }),
]);
export type ResponseMode = z.output<typeof responseMode>;

export const renderRequested = z.object({
  accountId: identifier(),
  keyId: identifier(),
  keyType: z.enum(['live', 'test']),
  source: renderSource,
  /** Without the HTML of header and footer, which can be large. */
  options: renderOptions.omit({ header_html: true, footer_html: true }),
  headerFooter: z.object({ header: blobRef.nullable(), footer: blobRef.nullable() }),
  limits: renderLimits,
  /** True for POST /templates/{id}/test. Such a render counts neither toward the quota nor as template usage. */
  templateTest: z.boolean(),
  responseMode,
});

export const renderStarted = z.object({
  attempt: z.number().int(),
  worker: text(500),
  /** From the request to this claim. */
  queueMs: z.number(),
});

/** Resources that are missing in the PDF: the first 50. */
export const renderWarnings = list(z.object({ kind: text(100), url: text(500), reason: text(500) }), 50);

export const renderDurations = z.object({
  queueMs: z.number(),
  prepareMs: z.number(),
  waitMs: z.number(),
  loadMs: z.number(),
  printMs: z.number(),
  totalMs: z.number(),
});
export type RenderDurations = z.output<typeof renderDurations>;

export const renderModeReasonText = text(1000);

export const renderCompleted = z.object({
  attempt: z.number().int(),
  /** The input type, or `template`. */
  input: z.enum([...inputTypes, 'template']),
  pdf: blobRef,
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  /** When the PDF expires; null if it is not stored. */
  keptUntil: identifier().nullable(),
  pages: z.number().int(),
  durations: renderDurations,
  renderMode: z.enum(renderModes),
  renderModeReason: renderModeReasonText,
  browserVersion: text(500),
  warnings: renderWarnings,
});

export const renderFailed = z.object({
  attempt: z.number().int(),
  /** The error of the response, as in the table of errors. */
  error: z.object({ name: z.enum(errorNames), message: text(2000), extra: anyFields(24_000) }),
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  totalMs: z.number(),
  /**
   * If the service failed: the day (`YYYY-MM-DD`, UTC; in early events the month) whose quota the render is refunded
   * to. Else null.
   */
  quotaRefundDate: identifier().nullable(),
});

/** The stored PDF was erased. Its hash stays in RenderCompleted. */
export const pdfErased = z.object({ sha256: identifier() });

/** The PDF was stored although the render has failed. It cannot be downloaded, and is erased after `eraseAfter`. */
export const pdfDiscarded = z.object({ pdf: blobRef, eraseAfter: identifier() });

/** A repeated request needs the PDF, which was not stored. */
export const pdfRegenerationRequested = z.object({});

/**
 * The PDF was rendered again and stored until `keptUntil`. Both are null if this failed, or if the new PDF has other
 * bytes.
 */
export const pdfRegenerationEnded = z.object({ pdf: blobRef.nullable(), keptUntil: identifier().nullable() });

/** A caller requested the diagnostics of an ended render. */
export const diagnosisRequested = z.object({});

/**
 * The document was rendered again to collect diagnostics. The blob is JSON, see `diagnosis` in
 * contracts/http/diagnostics.ts.
 */
export const renderDiagnosed = z.object({ diagnosis: blobRef });

export const renderEvents = {
  RenderRequested: renderRequested,
  RenderStarted: renderStarted,
  RenderCompleted: renderCompleted,
  RenderFailed: renderFailed,
  PdfErased: pdfErased,
  PdfDiscarded: pdfDiscarded,
  PdfRegenerationRequested: pdfRegenerationRequested,
  PdfRegenerationEnded: pdfRegenerationEnded,
  DiagnosisRequested: diagnosisRequested,
  RenderDiagnosed: renderDiagnosed,
} as const;

export type RenderEvent = EventsIn<typeof renderEvents>;
