import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  maxImagePixels,
  maxImageSides,
  maxThumbnailHeight,
  minDpi,
  type OutputContentType,
  type ImageType,
  imageTypes,
  zipContentType,
} from '#contracts/http/output.ts';
import { bytesPerMb, bytesToMb } from '#libs/sizes/sizes.ts';
import { asDrawingError, openPdf, type OpenedPdf, type Pixels } from './pdfium.ts';
import { openZip } from './zip.ts';

// One image after the other, without memory of the last ones: the process serves all accounts.
sharp.cache(false);
sharp.concurrency(1);

type Encoding = { type: ImageType; quality: number; dpi: number };

/** Encodes pixels as a file. The same pixels give the same bytes. `dpi` is recorded in the file. */
const encodeImage = (
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

const packageFile = new URL('../package.json', import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** What draws pages and what encodes the images, with their versions, because another version can give other bytes. */
const engine = `PDFium (@hyzyla/pdfium ${version}), libvips ${sharp.versions.vips}`;

/** `maxBytes` limits the file; null for the limit of every account. `requestedAt` is ISO 8601. */
export type DrawPagesInput = {
  pdf: Uint8Array;
  output: ImageType;
  dpi: number;
  quality: number;
  transparent: boolean;
  maxBytes: number | null;
  requestedAt: string;
};
/** `engine` is what drew the pages, with its version. */
export type DrawnPages = { file: Uint8Array; contentType: OutputContentType; engine: string };

export type DrawThumbnailInput = { pdf: Uint8Array; width: number };
export type DrawnThumbnail = Pick<DrawnPages, 'file' | 'engine'>;

type Size = { width: number; height: number };

/** A file is sent between processes in one message. */
const maxFileBytes = 256 * bytesPerMb;
const pointsPerInch = 72;
const millimetresPerInch = 25.4;

const toPixels = (points: number, dpi: number): number => Math.max(1, Math.round((points * dpi) / pointsPerInch));

const toMm = (points: number): number => Math.round((points / pointsPerInch) * millimetresPerInch);

/** The most dots per inch at which a page is not too large. */
const maxDpiOf = ({ width, height }: Size, maxSide: number): number =>
  Math.floor(
    Math.min(
      Math.sqrt(maxImagePixels / (width * height)) * pointsPerInch,
      (maxSide / Math.max(width, height)) * pointsPerInch,
    ),
  );

const requireImageSizes = (pages: readonly Size[], { output, dpi }: DrawPagesInput): void =>
  pages.forEach((page, index) => {
    const [width, height] = [toPixels(page.width, dpi), toPixels(page.height, dpi)];
    const maxSide = maxImageSides[output];
    if (width * height <= maxImagePixels && Math.max(width, height) <= maxSide) return;
    const maxDpi = maxDpiOf(page, maxSide);
    throw ApiError.of(
      'image_too_large',
      `Page ${index + 1} is ${toMm(page.width)} mm wide and ${toMm(page.height)} mm high. At ${dpi} dpi it would have ` +
        `${width} x ${height} pixels; a ${output} image may have ${maxImagePixels / 1_000_000} million pixels and ` +
        `sides of ${maxSide} pixels. ${maxDpi < minDpi ? 'Use a smaller page.' : `Use at most ${maxDpi} dpi for this page.`}`,
      { page: index + 1, width, height, max_pixels: maxImagePixels, max_side: maxSide, max_dpi: maxDpi },
    );
  });

const requireFileSize = (bytes: number, maxBytes: number | null): void => {
  const limit = Math.min(maxBytes ?? Infinity, maxFileBytes);
  if (bytes <= limit) return;
  const [max, received] = [bytesToMb(limit), bytesToMb(bytes)];
  throw ApiError.of(
    'output_too_large',
    `The images have more than ${max} MB together, which is the limit of the account's plan. Use a lower dpi, ` +
      'jpeg or webp, or fewer pages.',
    { max_size_mb: max, generated_size_mb: received },
  );
};

const drawAll = async (opened: OpenedPdf, input: DrawPagesInput): Promise<Omit<DrawnPages, 'engine'>> => {
  const { output: type, dpi, quality, transparent, maxBytes, requestedAt } = input;
  const { contentType, extension } = imageTypes[type];
  requireImageSizes(opened.pages, input);
  const drawPage = ({ width, height }: Size, index: number): Promise<Uint8Array> => {
    const size = { width: toPixels(width, dpi), height: toPixels(height, dpi) };
    return encodeImage(opened.draw(index, size, transparent), { type, quality, dpi });
  };
  if (opened.pages.length === 1) {
    const file = await drawPage(opened.pages[0]!, 0);
    requireFileSize(file.byteLength, maxBytes);
    return { file, contentType };
  }
  const zip = openZip(new Date(requestedAt));
  const digits = Math.max(3, String(opened.pages.length).length);
  for (const [index, page] of opened.pages.entries()) {
    zip.add(`page-${String(index + 1).padStart(digits, '0')}${extension}`, await drawPage(page, index));
    requireFileSize(zip.size(), maxBytes);
  }
  return { file: zip.end(), contentType: zipContentType };
};

/**
 * Draws the pages of a PDF as images, one after the other: one page as itself, several in a ZIP file. The same PDF and
 * options give the same bytes.
 * @throws ApiError image_too_large; output_too_large for the file; conversion_failed
 */
export const drawPages = async (input: DrawPagesInput): Promise<DrawnPages> => {
  try {
    return { ...(await drawAll(await openPdf(input.pdf), input)), engine };
  } catch (error) {
    throw asDrawingError(error);
  }
};

/** Draws the first page as a PNG of this width; narrower if the page is very high. @throws ApiError */
export const drawThumbnail = async ({ pdf, width }: DrawThumbnailInput): Promise<DrawnThumbnail> => {
  try {
    const opened = await openPdf(pdf);
    const page = opened.pages[0]!;
    const dpi = Math.min(width / page.width, maxThumbnailHeight / page.height) * pointsPerInch;
    const size = { width: toPixels(page.width, dpi), height: toPixels(page.height, dpi) };
    const file = await encodeImage(opened.draw(0, size, false), { type: 'png', quality: 100, dpi });
    return { file, engine };
  } catch (error) {
    throw asDrawingError(error);
  }
};
