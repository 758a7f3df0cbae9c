import type { ApiErrorFields } from '#contracts/http/api-error.ts';
import { isEventRejected } from '#application/command-handling/event-validation.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { maxAttempts } from '#libs/domain/render.ts';

const browserCrashedEveryAttempt: ApiErrorFields = {
  name: 'conversion_failed',
  message: `The browser crashed in each of ${maxAttempts} attempts to print the document.`,
  extra: {
    details:
      'In the last attempt the document had a browser of its own. It probably needs more memory than one document may ' +
      'use, or the machine has too little.',
  },
};
/** The workers that claimed the render have died. The document may not be the cause. */
export const lostEveryAttempt: ApiErrorFields = {
  name: 'internal_error',
  message: `The service stopped before the document was finished, in each of ${maxAttempts} attempts.`,
  extra: {},
};
const failedEveryAttempt: ApiErrorFields = {
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
  return error instanceof BrowserGone ? browserCrashedEveryAttempt : failedEveryAttempt;
};
