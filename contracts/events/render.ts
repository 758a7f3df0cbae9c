import { z } from 'zod';
import { errorNames } from '../http/errors.ts';
import { outputContentTypes } from '../http/output.ts';
import { maxUrlLength } from '../http/page-request.ts';
import { inputTypes } from '../http/render.ts';
import { renderModes } from '../render-modes.ts';
import { blobRef } from './blob-ref.ts';
import { anyFields, ascii, identifier, text } from './bounded.ts';
import type { EventsIn } from './metadata.ts';
import { renderRequested } from './render-request.ts';
import { renderWarnings } from './render-warnings.ts';

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
