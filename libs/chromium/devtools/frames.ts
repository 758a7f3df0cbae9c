/** Cuts a stream of bytes into the messages between NULs; a message may come in any number of pieces, and its text may be cut inside a character. */
export const messagesOf = (hear: (message: string) => void) => {
  let pieces: Buffer[] = [];
  return (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      pieces.push(chunk.subarray(start, end));
      const message = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      pieces = [];
      start = end + 1;
      hear(message.toString('utf8'));
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  };
};
