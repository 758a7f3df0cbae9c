/** The formats of images in options. */
const imageFormats = ['png', 'jpeg', 'svg'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** An image of an option: its format, its bytes as base64, and its size in pixels, if the format has one. */
export type ImageData = { format: ImageFormat; base64: string; pixels: number | null };

const dataPrefix = /^data:[^,]{0,100};base64,/;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;

const hasBytes = (bytes: Uint8Array, at: number, expected: readonly number[]): boolean =>
  expected.every((byte, index) => bytes[at + index] === byte);

const readUint = (bytes: Uint8Array, at: number, length: 2 | 4): number =>
  Array.from(bytes.subarray(at, at + length)).reduce((value, byte) => value * 256 + byte, 0);

/** Width times height in the header of a PNG (ISO 15948, 11.2.2). */
const pngPixels = (bytes: Uint8Array): number => readUint(bytes, 16, 4) * readUint(bytes, 20, 4);

/** Width times height in the frame header of a JPEG (ITU T.81, B.2.2); null if there is none. */
const jpegPixels = (bytes: Uint8Array): number | null => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return readUint(bytes, at + 5, 2) * readUint(bytes, at + 7, 2);
    at += marker === 0xff ? 1 : 2 + readUint(bytes, at + 2, 2);
  }
  return null;
};

/** In characters of base64. The headers of an image are at its start, after metadata of a photograph. */
const maxHeaderLength = 512 * 1024;

const startOf = (base64: string): Uint8Array => {
  const binary = atob(base64.slice(0, maxHeaderLength));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
};

/** Reads an image from base64 text, with or without a `data:` prefix; null for what is none of the formats. */
export const readImageData = (text: string): ImageData | null => {
  const base64 = text.replace(dataPrefix, '').replaceAll(/\s/g, '');
  if (!base64Pattern.test(base64) || base64.length % 4 !== 0) return null;
  const bytes = startOf(base64);
  if (hasBytes(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    return { format: 'png', base64, pixels: pngPixels(bytes) };
  if (hasBytes(bytes, 0, [0xff, 0xd8, 0xff])) {
    const pixels = jpegPixels(bytes);
    return pixels === null ? null : { format: 'jpeg', base64, pixels };
  }
  const start = new TextDecoder().decode(bytes.subarray(0, 4096));
  return /^\s*</.test(start.replace(/^\uFEFF/, '')) && /<svg[\s>]/.test(start)
    ? { format: 'svg', base64, pixels: null }
    : null;
};
