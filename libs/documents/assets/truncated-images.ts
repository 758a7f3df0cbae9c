import { asBuffer } from '#libs/bytes/as-buffer.ts';
import { decodeBody, splitDataUrl } from '../html/data-images.ts';
import { sniffType } from './media-type.ts';

/** What a browser shows of an image whose file ends too early: its beginning, or nothing. */
export type ShownPart = 'beginning' | 'nothing';

export const truncationReasons: Record<ShownPart, string> = {
  beginning: 'the file of the image ends too early, so the PDF shows only its beginning',
  nothing: 'the file of the image ends too early',
};

const endOfJpeg = Buffer.from([0xff, 0xd9]);

/** A JPEG ends with its marker EOI, which its scans cannot contain (ITU T.81, B.1.1). */
const shownPartOfJpeg = (bytes: Buffer): ShownPart | undefined => {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1];
    if (marker === 0xff) at += 1;
    else if (marker === 0xda) return bytes.includes(endOfJpeg, at) ? undefined : 'beginning';
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
};

/** A PNG is truncated if one of its chunks of pixels is (PNG 5.3). */
const shownPartOfPng = (bytes: Buffer): ShownPart | undefined => {
  for (let at = 8; at + 8 <= bytes.length;) {
    const [length, type] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    if (type === 'IEND') return undefined;
    at += 12 + length;
    if (at > bytes.length) return type === 'IDAT' ? 'beginning' : undefined;
  }
  return undefined;
};

/** RFC 9649, 2.4: the size is that of what follows it. */
const shownPartOfWebp = (bytes: Buffer): ShownPart | undefined =>
  bytes.length > 12 && bytes.readUInt32LE(4) + 8 > bytes.length ? 'nothing' : undefined;

/** ISO/IEC 14496-12, 4.2: boxes, of which the last one may have no size, and large ones a size of 64 bits. */
const shownPartOfAvif = (bytes: Buffer): ShownPart | undefined => {
  for (let at = 0; at + 16 <= bytes.length;) {
    const [size, type] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    if (size === 0) return undefined;
    const length = size === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : size;
    if (length < 8) return undefined;
    at += length;
    if (at > bytes.length) return type === 'mdat' || type === 'meta' ? 'nothing' : undefined;
  }
  return undefined;
};

const checks: Partial<Record<string, (bytes: Buffer) => ShownPart | undefined>> = {
  'image/jpeg': shownPartOfJpeg,
  'image/png': shownPartOfPng,
  'image/webp': shownPartOfWebp,
  'image/avif': shownPartOfAvif,
};

/** What a browser shows of an image whose file ends too early; undefined for whole files and other formats. */
export const findTruncation = (file: Uint8Array): ShownPart | undefined =>
  checks[sniffType(file) ?? '']?.(asBuffer(file));

/** The number of base64 characters at the end that contain the end marker of a whole JPEG or PNG. */
const endCharacters = 24;
const wholeEnds = /\xff\xd9|IEND/;

/** The same for an image in a data: URL. */
export const findTruncationInDataUrl = (url: string): ShownPart | undefined => {
  const parts = splitDataUrl(url);
  if (!parts?.isBase64) return undefined;
  const { body } = parts;
  // Decoding is only needed if the end does not tell. The groups of base64 have four characters.
  const tail = body.slice(-2 * endCharacters).replace(/=*\s*$/, '');
  const length = body.length > 2 * endCharacters ? body.length - 2 * endCharacters + tail.length : tail.length;
  const end = tail.slice(0, tail.length - (length % 4)).slice(-endCharacters);
  const rest = tail.slice(tail.length - (length % 4));
  const lastBytes = Buffer.from(end + rest, 'base64').toString('latin1');
  return wholeEnds.test(lastBytes) ? undefined : findTruncation(decodeBody(body, true));
};
