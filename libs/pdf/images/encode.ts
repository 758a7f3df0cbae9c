import sharp from 'sharp';
import type { ImageType } from '#contracts/http/output.ts';
import type { Pixels } from './pdfium.ts';

// One image after the other, without memory of the last ones: the process serves all accounts.
sharp.cache(false);
sharp.concurrency(1);

export type Encoding = { type: ImageType; quality: number; dpi: number };

/** Encodes pixels as a file. The same pixels give the same bytes. `dpi` is recorded in the file. */
export const encodeImage = (
  { data, width, height, channels }: Pixels,
  { type, quality, dpi }: Encoding,
): Promise<Uint8Array> => {
  const image = sharp(data, { raw: { width, height, channels } }).withMetadata({ density: dpi });
  switch (type) {
    case 'png':
      return image.png({ compressionLevel: 6 }).toBuffer();
    case 'jpeg':
      return image.jpeg({ quality }).toBuffer();
    case 'webp':
      return image.webp({ quality }).toBuffer();
    default:
      return type satisfies never;
  }
};
