const bold = process.stderr.isTTY ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text;

export const say = (text) => process.stderr.write(`${bold('set-up')}  ${text}\n`);

/** Something that the person at the machine has to know how to put right. */
export class Remedy extends Error {}

export const fail = (error) => {
  say(error instanceof Remedy ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
};
