import mammoth from 'mammoth';
import type { Parts } from '../office/archive.ts';

const emuPerPoint = 12_700;
const browserImageTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/svg+xml',
  'image/bmp',
  'image/avif',
  'image/x-icon',
]);
const aliases = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/pjpeg', 'image/jpeg'],
]);
const drawingPattern =
  /(<wp:extent\b[^<>]{0,500}?\bcx="(\d{1,10})"[^<>]{0,500}>(?:(?!<wp:extent\b)[^]){0,600}?<wp:docPr\b)([^<>]*>)/g;
const widthLabelPattern = /^\[(\d+)\] ?/;

/**
 * The converter does not pass on image sizes, but it passes on the alternative text: the width of each image is put in
 * front of it.
 */
export const addWidthLabels = (parts: Parts): void => {
  for (const [path, bytes] of parts) {
    if (!/^word\/[^/]+\.xml$/i.test(path)) continue;
    const xml = Buffer.from(bytes).toString('utf8');
    if (xml.includes('<wp:extent'))
      parts.set(
        path,
        Buffer.from(
          xml.replace(
            drawingPattern,
            (_, before: string, width: string, rest: string) => before + withWidthLabel(rest, Number(width)),
          ),
        ),
      );
  }
};

const withWidthLabel = (attributes: string, width: number): string => {
  const text = `[${Math.round(width / emuPerPoint)}] `;
  return /\bdescr="/.test(attributes)
    ? attributes.replace(/\bdescr="/, `descr="${text}`)
    : ` descr="${text}"${attributes}`;
};

type DocxImage = { contentType: string; altText?: string; readAsBase64String: () => Promise<string> };

/**
 * Converts images to data: URLs, in the width that the document sets. Image types that browsers do not show become a
 * labelled box.
 */
export const convertImage = mammoth.images.imgElement(async (image) => {
  const { contentType, altText = '', readAsBase64String } = image as unknown as DocxImage;
  const points = Number(widthLabelPattern.exec(altText)?.[1] ?? 0);
  const alt = altText.replace(widthLabelPattern, '');
  const type = aliases.get(contentType) ?? contentType;
  const src = browserImageTypes.has(type)
    ? `data:${type};base64,${await readAsBase64String()}`
    : placeholderImage(type);
  return { src, alt, ...(points > 0 ? { style: `width:${points}pt` } : {}) };
});

const placeholderImage = (contentType: string): string => {
  const kind = /^image\/(?:x-)?([a-z0-9]{1,12})/.exec(contentType)?.[1]?.toUpperCase() ?? '?';
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 90">` +
    `<rect x="1" y="1" width="238" height="88" fill="#f3f6f9" stroke="#d5dbe3"/>` +
    `<text x="120" y="50" text-anchor="middle" font-family="sans-serif" font-size="13" fill="#5b6775">` +
    `Image in ${kind} format</text></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
};
