import type { z } from 'zod';

/** Also U+FFFE and U+FFFF, which XML 1.0 does not allow. */
// oxlint-disable-next-line no-control-regex
const line = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffe\uffff]*$/;

/** Limits a text to one line that PDF strings and XML can hold: without control characters, and well-formed. */
export const oneLine = (text: z.ZodString): z.ZodString =>
  text
    .regex(line, 'must be one line without control characters')
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');
