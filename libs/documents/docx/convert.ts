import { zipSync } from 'fflate';
import mammoth from 'mammoth';
import { classify } from '../html/classify.ts';
import { checkPictures } from '../html/convert.ts';
import { languageOf, page } from '../page.ts';
import { converted, type Prepared } from '../prepared.ts';
import { refusal } from '../input.ts';
import { decodeDocx, type Parts, unpack } from './archive.ts';
import { convertPicture, labelSizes } from './pictures.ts';
import { adapt, styleMap } from './styles.ts';

/** A Word document, sent in base64, as a set document. Throws a Problem. */
export const convertDocx = async (data: Uint8Array, maxImages: number | null): Promise<Prepared> => {
  const parts = await unpack(decodeDocx(data));
  labelSizes(parts);
  const body = await bodyOf(parts);
  const { classification, finds } = classify(body);
  checkPictures(finds, maxImages);
  const text = body.replace(/<[^>]*>/g, '').slice(0, 30_000);
  return converted(page({ title: titleOf(body), language: languageOf(text), sheets: ['prose', 'code', 'word'], body: `<div class="word">${body}</div>` }), classification);
};

const bodyOf = async (parts: Parts): Promise<string> => {
  // Packed anew, so that the converter sees the very files that were checked, whatever else its zip reader would find.
  const buffer = Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }));
  try {
    const { value } = await mammoth.convertToHtml({ buffer }, { styleMap, includeEmbeddedStyleMap: false, convertImage: convertPicture, transformDocument: adapt, idPrefix: '' });
    return finished(value);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw refusal('docx', 'The DOCX is damaged: its parts cannot be read, or do not belong together.', { details: 'damaged document parts' });
  }
};

/**
 * Lets each list and table run in the direction of its own text. Page breaks are rules up to here, because the
 * converter drops empty elements, but rules cannot stand in a paragraph.
 */
const finished = (html: string): string =>
  html.replace(/<(ul|ol|table)>/g, '<$1 dir="auto">').replaceAll('<hr class="page-break" />', '<span class="page-break"></span>');

const titleOf = (body: string): string =>
  /<h1[^>]*>([^]{1,1000}?)<\/h1>/
    .exec(body)?.[1]
    ?.replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? '')
    .trim() || 'Document';
