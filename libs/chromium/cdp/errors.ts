/** The browser, or the process of the page, ended under a document. The document itself may be sound: another attempt is worth it. */
export class BrowserGone extends Error {
  override readonly name = 'BrowserGone';
}

/** A DevTools command that the browser answered with an error. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The browser's answer to a command is larger than this process takes in. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
  readonly bytes: number;

  constructor(message: string, bytes: number) {
    super(message);
    this.bytes = bytes;
  }
}
