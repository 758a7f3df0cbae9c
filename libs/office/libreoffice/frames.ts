import type { Readable } from 'node:stream';
import { asBuffer } from '#libs/bytes/as-buffer.ts';

export type Frame<T> = { header: T & { bytes: number }; content: Buffer };

/** A JSON header after its length, and the content: the messages of convert.py. */
export const encodeFrame = (header: object, content: Uint8Array): Buffer[] => {
  const text = Buffer.from(JSON.stringify({ ...header, bytes: content.byteLength }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return [length, text, asBuffer(content)];
};

const maxHeaderBytes = 64 * 1024;

/**
 * Calls `onFrame` with each frame of the stream. The sender is not trusted: `onError` is called once for a frame that
 * is not of this form or has more than `maxBytes`.
 */
export const readFrames = <T>(
  stream: Readable,
  maxBytes: number,
  { onFrame, onError }: { onFrame: (frame: Frame<T>) => void; onError: () => void },
): void => {
  let parts: Buffer[] = [];
  let available = 0;
  let header: (T & { bytes: number }) | null = null;
  let headerBytes: number | null = null;
  let failed = false;

  const take = (count: number): Buffer => {
    const joined = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [joined.subarray(count)];
    available -= count;
    return joined.subarray(0, count);
  };
  const step = (): boolean => {
    if (headerBytes === null) {
      if (available < 4) return false;
      headerBytes = take(4).readUInt32LE();
      if (headerBytes > maxHeaderBytes) throw new RangeError('the header is too long');
    }
    if (header === null) {
      if (available < headerBytes) return false;
      header = JSON.parse(take(headerBytes).toString('utf8')) as T & { bytes: number };
      if (!Number.isSafeInteger(header.bytes) || header.bytes < 0 || header.bytes > maxBytes)
        throw new RangeError('the content is too long');
    }
    if (available < header.bytes) return false;
    const frame = { header, content: take(header.bytes) };
    [header, headerBytes] = [null, null];
    onFrame(frame);
    return true;
  };

  stream.on('data', (chunk: Buffer) => {
    if (failed) return;
    parts.push(chunk);
    available += chunk.length;
    try {
      while (step());
    } catch {
      failed = true;
      onError();
    }
  });
};
