import { ApiError } from '#contracts/http/api-error.ts';

/** Why an existing PDF cannot be a part of a document. */
export type InvalidPdfReason =
  | 'not_a_pdf'
  | 'damaged'
  | 'encrypted'
  | 'too_many_pages'
  | 'too_large'
  | 'nested_too_deeply'
  | 'dynamic_form'
  | 'field_without_appearance'
  | 'annotation_without_appearance'
  | 'hidden_text_in_line';

export const invalidPdf = (reason: InvalidPdfReason, message: string): ApiError =>
  ApiError.of('invalid_pdf', message, { details: { reason } });

/** `what` is what is wrong in the file, without a full stop. */
export const damaged = (what: string): ApiError =>
  invalidPdf('damaged', `The PDF is damaged: ${what}. Repair it, for example with "qpdf damaged.pdf repaired.pdf".`);

/** `what` is which limit is exceeded, without a full stop. */
export const tooLarge = (what: string): ApiError => invalidPdf('too_large', `The PDF is too large: ${what}.`);
