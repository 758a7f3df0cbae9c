/**
 * The browser, or the process of the page, ended during a document. The document may be correct: it should be tried
 * again.
 */
export class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

/** A DevTools command that the browser rejected with an error. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The browser's response to a command exceeds the size limit. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly bytes: number;

  constructor(message: string, bytes: number) {
    super(message);
    this.bytes = bytes;
  }
}
