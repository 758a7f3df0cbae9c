/**
 * The browser, or the process of the page, ended during a document. The document may be correct: it should be tried
 * again.
 */
export class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly bytes: number;

  constructor(message: string, bytes: number) {
    super(message);
    this.bytes = bytes;
  }
}
