import { asBuffer } from '#libs/bytes/as-buffer.ts';
import type { Asset } from './bundle.ts';

type Signature = { type: string; offset?: number; bytes: string };

const signatures: Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF8' },
  { type: 'image/webp', offset: 8, bytes: 'WEBP' },
  { type: 'image/avif', offset: 4, bytes: 'ftypmif1' },
  { type: 'image/jxl', bytes: '\xff\x0a' },
  { type: 'image/jxl', bytes: '\0\0\0\x0cJXL \r\n\x87\n' },
  { type: 'image/bmp', bytes: 'BM' },
  { type: 'image/x-icon', bytes: '\0\0\x01\0' },
  { type: 'image/x-icon', bytes: '\0\0\x02\0' },
  { type: 'font/woff2', bytes: 'wOF2' },
  { type: 'font/woff', bytes: 'wOFF' },
  { type: 'font/ttf', bytes: '\0\x01\0\0' },
  { type: 'font/otf', bytes: 'OTTO' },
];

export const svgType = 'image/svg+xml';
/** What may come before the element of an SVG image, and how it ends. */
const svgProlog: [start: RegExp, end: RegExp][] = [
  [/^<\?/, /\?>/],
  [/^<!--/, /-->/],
  [/^<!doctype[^>[]*\[/i, /\]\s{0,100}>/],
  [/^<!doctype/i, />/],
];
const svgElement = /^<(?:[^\s<>/:]+:)?svg[\s>/]/i;
const sampleBytes = 16 * 1024;

const isSvg = (text: string): boolean => {
  let rest = text.replace(/^\ufeff/, '').trimStart();
  for (;;) {
    const end = svgProlog.find(([start]) => start.test(rest))?.[1];
    if (!end) return svgElement.test(rest);
    const match = end.exec(rest);
    if (!match) return false;
    rest = rest.slice(match.index + match[0].length).trimStart();
  }
};

/** AVIF is often only one of the compatible brands of a file (ISO/IEC 14496-12, 4.3). */
const isAvif = (start: Buffer): boolean =>
  /^[\0-\xff]{4}ftyp(?:[\0-\xff]{4}){0,16}avi[fs]/.test(start.toString('latin1', 0, 80));

/** Text in UTF-8, or in UTF-16 with a byte order mark, as in XML (XML 1.0, 4.3.3). */
export const decodeUnicode = (text: Uint8Array): string => {
  const mark = asBuffer(text).toString('latin1', 0, 2);
  const isUtf16 = mark === '\xff\xfe' || mark === '\xfe\xff';
  return new TextDecoder(isUtf16 ? (mark === '\xff\xfe' ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(text);
};

/** The type that the first bytes show; undefined if they are of no known image or font. */
export const sniffType = (bytes: Uint8Array): string | undefined => {
  const start = asBuffer(bytes.subarray(0, sampleBytes));
  const found = signatures.find(
    ({ offset = 0, bytes: signature }) => start.toString('latin1', offset, offset + signature.length) === signature,
  );
  if (found) return found.type;
  if (isAvif(start)) return 'image/avif';
  return isSvg(decodeUnicode(start)) ? svgType : undefined;
};

const typePattern = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/;

/** The media type for the data: URL of an asset. */
export const mediaTypeOf = ({ type, bytes }: Asset): string =>
  sniffType(bytes) ?? (type !== null && typePattern.test(type) ? type : 'application/octet-stream');

export const isImage = ({ bytes }: Pick<Asset, 'bytes'>): boolean => sniffType(bytes)?.startsWith('image/') ?? false;

export const dataUrlOf = (type: string, bytes: Uint8Array): string =>
  `data:${type};base64,${asBuffer(bytes).toString('base64')}`;
