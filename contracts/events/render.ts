import { z } from 'zod';
import { errorNames } from '../http/errors.ts';
import { renderOptions } from '../http/render-options.ts';
import { renderModes } from '../render-modes.ts';
import { inputTypes } from '../http/render.ts';
import { maxWebhookHeaderLength, maxWebhookHeaders, maxWebhookUrlLength, webhookMethods } from '../http/webhook.ts';
import { anyFields, ascii, entries, identifier, list, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';

/** A blob is named by the SHA-256 of its bytes, in hex; `size` is in bytes. */
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
    /** The blob of the JSON of the version's variables and default options. */
    settings: blobRef,
  }),
]);
export type RenderSource = z.output<typeof renderSource>;

/** What the account's plan allowed when the render was accepted. Null is unlimited. */
export const renderLimits = z.object({
  processingMs: z.number().int(),
  scriptMs: z.number().int(),
  maxPages: z.number().int().nullable(),
  maxImages: z.number().int().nullable(),
  maxPdfBytes: z.number().int().nullable(),
});

/**
 * Where a callback goes, without its secrets: `***` stands for the values of the headers and for what in the address may be a credential. `sealed` is the blob of the
 * sealed box that holds address and headers as they were given; it is erased when the delivery has ended. Null where nothing is masked.
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
 * How the caller gets the PDF. `wait`: in the answer, and it is not kept. `poll`: by asking for it. `webhook`: by a callback.
 * `estimatedMs` is what the caller was told.
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
  /** All options but the bands' HTML, which can be large. */
  options: renderOptions.omit({ header_html: true, footer_html: true }),
  headerFooter: z.object({ header: blobRef.nullable(), footer: blobRef.nullable() }),
  limits: renderLimits,
  /** A trial of a template: it counts neither toward the quota nor as a use of the template. */
  templateTest: z.boolean(),
  responseMode,
});

export const renderStarted = z.object({
  attempt: z.number().int(),
  worker: text(500),
  /** Milliseconds from the request to this claim. */
  queueMs: z.number(),
});

/** What the PDF lacks: the first things alone, where there are many. */
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
  /** What the PDF was made from: an input type, or a template. */
  input: z.enum([...inputTypes, 'template']),
  pdf: blobRef,
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  /** Until when the PDF can be fetched; null where it was not kept. */
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
  /** A name of the error table, with the message and the extra fields that the caller got. */
  error: z.object({ name: z.enum(errorNames), message: text(2000), extra: anyFields(24_000) }),
  responseMode: z.enum(['wait', 'poll', 'webhook']),
  totalMs: z.number(),
  /** The day (`YYYY-MM-DD`, UTC; in early events the month alone) whose quota gets the render back, where the service itself was at fault. */
  quotaRefundDate: identifier().nullable(),
});

/** The kept PDF was erased; its hash stays in RenderCompleted. */
export const pdfErased = z.object({ sha256: identifier() });

/** A PDF was stored when its render had failed already, or could not be recorded. It is not to be fetched, and is erased after `until`. */
export const pdfDiscarded = z.object({ pdf: blobRef, eraseAfter: identifier() });

/** Somebody who repeats their request shall have the same PDF again, which was not kept. */
export const pdfRegenerationRequested = z.object({});

/** The PDF was made again and is kept for a while; both are null where it could not be made, or has other bytes now, and nothing is kept. */
export const pdfRegenerationEnded = z.object({ pdf: blobRef.nullable(), keptUntil: identifier().nullable() });

/** Somebody wants to know more of a render that has ended than its story tells. */
export const diagnosisRequested = z.object({});

/** It was made once more, and looked at closely; the blob is JSON as `diagnosis` of the HTTP contracts has it. */
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
