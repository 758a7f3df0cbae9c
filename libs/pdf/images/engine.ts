import { readFileSync } from 'node:fs';
import sharp from 'sharp';

const packageFile = new URL('../package.json', import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
let engine: string | undefined;

/** What draws pages and what encodes the images, with their versions, because another version can give other bytes. */
export const drawingEngine = (): string => {
  const { version } = (engine ? {} : JSON.parse(readFileSync(packageFile, 'utf8'))) as { version?: string };
  return (engine ??= `PDFium (@hyzyla/pdfium ${version}), libvips ${sharp.versions.vips}`);
};
