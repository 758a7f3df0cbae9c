/** What to do with a message of more than `bytes`, which its beginning decides: none of it is kept but that and its end. `hear` gets both, and the size in bytes. */
export type OversizedMessages = {
  maxBytes: (beginning: string) => number;
  onMessage: (long: { beginning: string; ending: string; bytes: number }) => void;
};

const beginningBytes = 100;
const endingBytes = 100;

/** Cuts a stream of bytes into the messages between NULs; a message may come in any number of pieces, and its text may be cut inside a character. */
export const createMessageParser = (
  hear: (message: string) => void,
  long: OversizedMessages = { maxBytes: () => Infinity, onMessage: () => undefined },
) => {
  let pieces: Buffer[] = [];
  let [size, most] = [0, Infinity];
  let ending = Buffer.alloc(0);
  const keep = (piece: Buffer): void => {
    if (size < beginningBytes)
      most = long.maxBytes(
        (size === 0 ? piece : Buffer.concat([...pieces, piece])).toString('utf8', 0, beginningBytes),
      );
    const wasLong = size > most;
    size += piece.length;
    if (size > most) ending = Buffer.concat([ending, ...(wasLong ? [] : pieces), piece]).subarray(-endingBytes);
    if (wasLong) return;
    pieces.push(piece);
    if (size > most) pieces = [Buffer.concat(pieces, Math.min(size, beginningBytes))];
  };
  const whole = (): Buffer => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  const end = (): void => {
    const [bytes, text] = [size, whole().toString('utf8')];
    pieces = [];
    size = 0;
    if (bytes > most) long.onMessage({ beginning: text, ending: ending.toString('utf8'), bytes });
    else hear(text);
    ending = Buffer.alloc(0);
  };
  return (chunk: Buffer): void => {
    let start = 0;
    for (let stop = chunk.indexOf(0); stop !== -1; stop = chunk.indexOf(0, start)) {
      keep(chunk.subarray(start, stop));
      start = stop + 1;
      end();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
};
