import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import { isEventRejected } from '#application/command-handling/event-validation.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { maxAttempts } from '#libs/domain/render.ts';

/** The document had a browser of its own in the last attempt. Earlier attempts may have ended in other ways. */
const browserCrashed: ApiErrorFields = {
  name: 'conversion_failed',
  message: `The browser crashed in the last of ${maxAttempts} attempts, in which it printed only this document.`,
  extra: {
    details: 'The document probably needs more memory than one document may use, or the machine has too little.',
  },
};
/** The worker that claimed the render last has died. The document may not be the cause. */
export const lostLastAttempt: ApiErrorFields = {
  name: 'internal_error',
  message: `The service stopped before the document was finished, in the last of ${maxAttempts} attempts.`,
  extra: {},
};
const failed: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service failed to render the document.',
  extra: {},
};
export const lostInput: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service has lost the input of the render.',
  extra: {},
};

const notRecorded: ApiErrorFields = {
  name: 'internal_error',
  message: 'The service rendered the document but could not record it.',
  extra: {},
};

/** The error of a render whose last attempt threw `error`. */
export const lastAttemptError = (error: unknown): ApiErrorFields => {
  if (isEventRejected(error)) return notRecorded;
  return error instanceof BrowserGone ? browserCrashed : failed;
};

/** The error of a preview, which is tried once, in a browser that prints other documents, too. */
export const previewError = (error: unknown): ApiErrorFields =>
  error instanceof BrowserGone
    ? {
        name: 'service_unavailable',
        message: 'The browser crashed before the preview was finished. Another document may be the cause. Try again.',
        extra: { retry_after: 1 },
      }
    : failed;
