const bold = process.stderr.isTTY ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text;

export const printStatus = (text) => process.stderr.write(`${bold('set-up')}  ${text}\n`);

/** The message tells the user what to do; it is printed without a stack trace. */
export class SetupError extends Error {}

export const fail = (error) => {
  printStatus(error instanceof SetupError ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
};
