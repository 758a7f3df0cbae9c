import { zipSync } from 'fflate';
import mammoth from 'mammoth';
import { classify } from '../html/classify.ts';
import { checkImages, warningsOfImages } from '../html/convert.ts';
import { metadataMember } from '../html/meta-elements.ts';
import { htmlDocument } from '../html-document.ts';
import { directionOfText, directionsOfBlocks } from '../language/direction.ts';
import { languageOf } from '../language/detect.ts';
import { convertedDocument, type PreparedDocument } from '../prepared-document.ts';
import { type ConversionContext, inputError } from '../input.ts';
import type { Parts } from '../office/archive.ts';
import { readDocx, unpackDocx } from './archive.ts';
import { findUnprintedDocuments } from './embedded-documents.ts';
import { convertImage, addWidthLabels } from './images.ts';
import { findLeftOut } from './left-out.ts';
import { readProperties } from './properties.ts';
import { showPrintedText } from './shown-text.ts';
import { adaptElement, styleMap } from './styles.ts';

/** Converts a Word document: in base64, or with `isFile` its bytes. @throws ApiError */
export const convertDocx = async (
  data: Uint8Array,
  maxImages: number | null,
  isFile = false,
  context?: ConversionContext,
): Promise<PreparedDocument> => {
  const parts = await unpackDocx(readDocx(data, isFile));
  const warnings = [...findLeftOut(parts), ...findUnprintedDocuments(parts, () => false)];
  addWidthLabels(parts);
  showPrintedText(parts);
  const properties = readProperties(parts);
  const body = await convertToHtml(parts);
  const { classification, details } = classify(body);
  // Lines of the HTML mean nothing to the author. Word itself shows a document with a broken image.
  checkImages({ ...details, images: details.images.map(({ url }) => ({ url })), brokenImage: undefined }, maxImages);
  const text = body.replace(/<[^>]*>/g, '').slice(0, 30_000);
  const document = convertedDocument(
    htmlDocument({
      title: properties.title ?? titleOf(body),
      language: languageOf(text, context),
      styleSheets: ['prose', 'code', 'word'],
      body: `<div class="word">${body}</div>`,
    }),
    classification,
  );
  const ofImages = warningsOfImages(details.truncatedImages.map((image) => ({ ...image, line: undefined })));
  return { ...document, warnings: [...warnings, ...ofImages], ...metadataMember(properties) };
};

const convertToHtml = async (parts: Parts): Promise<string> => {
  // The checked files are packed again, so that the converter reads exactly these files.
  const buffer = Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }));
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer },
      {
        styleMap,
        includeEmbeddedStyleMap: false,
        convertImage,
        transformDocument: adaptElement,
        idPrefix: '',
      },
    );
    return postProcessHtml(value);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw inputError('docx', 'The DOCX is damaged: its parts cannot be read, or do not belong together.', {
      details: 'damaged document parts',
    });
  }
};

/** Names the direction of each list and table: that of its own text. The HTML is that of the converter. */
const withDirections = (html: string): string => {
  const parts: string[] = [];
  const blocks = directionsOfBlocks<{ index: number; name: string }>(
    ({ index, name }, direction) => (parts[index] = `<${name} dir="${direction}">`),
  );
  for (const [part, isEnd, name] of html.matchAll(/<(\/?)(ul|ol|table)>|<[^>]*>|[^<]+/g)) {
    parts.push(part);
    if (name === undefined) blocks.addText(part.startsWith('<') ? null : directionOfText(part.replace(/&\w+;/g, '')));
    else if (isEnd) blocks.end();
    else blocks.begin({ index: parts.length - 1, name });
  }
  return parts.join('');
};

/** Page breaks were `hr` until here, because the converter drops empty elements, but an `hr` is not allowed in a paragraph. */
const postProcessHtml = (html: string): string =>
  withDirections(html.replaceAll('<hr class="page-break" />', '<span class="page-break"></span>'));

const titleOf = (body: string): string =>
  /<h1[^>]*>([^]{1,1000}?)<\/h1>/
    .exec(body)?.[1]
    ?.replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '')
    .trim() || 'Document';
