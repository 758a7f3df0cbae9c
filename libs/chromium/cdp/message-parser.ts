/**
 * Handles messages larger than `maxBytes`, which depends on how the message begins. Only their first and last bytes are
 * kept; `onMessage` receives both, and the size in bytes.
 */
export type OversizedMessages = {
  maxBytes: (beginning: string) => number;
  onMessage: (oversized: { beginning: string; ending: string; bytes: number }) => void;
};

const beginningBytes = 100;
const endingBytes = 100;

/**
 * Splits a stream of bytes into the messages between NULs. A message may arrive in any number of pieces, split even
 * inside a character.
 */
export const createMessageParser = (
  onMessage: (message: string) => void,
  oversized: OversizedMessages = { maxBytes: () => Infinity, onMessage: () => undefined },
) => {
  let pieces: Buffer[] = [];
  let [size, maxBytes] = [0, Infinity];
  let ending = Buffer.alloc(0);
  const keep = (piece: Buffer): void => {
    if (size < beginningBytes)
      maxBytes = oversized.maxBytes(
        (size === 0 ? piece : Buffer.concat([...pieces, piece])).toString('utf8', 0, beginningBytes),
      );
    const wasOversized = size > maxBytes;
    size += piece.length;
    if (size > maxBytes)
      ending = Buffer.concat([ending, ...(wasOversized ? [] : pieces), piece]).subarray(-endingBytes);
    if (wasOversized) return;
    pieces.push(piece);
    if (size > maxBytes) pieces = [Buffer.concat(pieces, Math.min(size, beginningBytes))];
  };
  const joinPieces = (): Buffer => (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  const finishMessage = (): void => {
    const [bytes, text] = [size, joinPieces().toString('utf8')];
    pieces = [];
    size = 0;
    if (bytes > maxBytes) oversized.onMessage({ beginning: text, ending: ending.toString('utf8'), bytes });
    else onMessage(text);
    ending = Buffer.alloc(0);
  };
  return (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      finishMessage();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
};
