import { setImmediate as nextTurn } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import type { PrintRequest } from '../print-request.ts';
import { openPdfObjects, pageObjects, type PdfObjects } from './objects.ts';

/** Of the contents of a PDF. */
const maxReadBytes = 16 * 2 ** 20;

/** After as much, other work has its turn. An object takes at least the time of this many bytes. */
const [maxBlockingBytes, objectBytes] = [2 ** 20, 4096];

const missingCharacters = 'characters that no font has, with empty boxes in their place';

/**
 * What may be a character that no installed font has: one that is not of the alphabets of Europe or common punctuation,
 * or one that the document names by its number. `\A` in CSS and most commands of TeX, such as `\frac`, do not match.
 */
const unusual = new RegExp(
  [
    /[^\t\n\f\r -\u052F\u1E00-\u1EFF\u2000-\u20BF\u2122\u2190-\u2193\u2212\uFB01\uFB02]/,
    // Without a character
    /[\u0378\u0379\u0380-\u0383\u038B\u038D\u03A2\u2072\u2073\u208F\u209D-\u209F]/,
    /&#/,
    /\\(?:[\da-fA-F]{3}|[\da-fA-F]?\d|[be]\b)/,
    // Percent-encoded UTF-8 of U+0340 to U+037F and from U+0800, and `&#`
    /%(?:[eEfF][\da-fA-F]%|[cC][dD]%|26%23)/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

const mayLackCharacters = ({ html, page, classification, options }: PrintRequest): boolean =>
  page !== undefined ||
  classification.scripts ||
  classification.external ||
  [html, options.header_html, options.footer_html].some((text) => text && unusual.test(text));

/** Skia names fonts, forms and images by the numbers of their objects. */
const textOperators = /\/F(\d+) [\d.]+ Tf|<([\dA-F]+)> Tj|\/X(\d+) Do/g;

type PdfObject = { dictionary: string; stream: Buffer };

/** The stream of an image has megabytes, so only what is before it becomes a string. */
const readObject = (pdf: Buffer, { bytesOf }: PdfObjects, object: number): PdfObject => {
  const { start, end } = bytesOf(object);
  const bytes = pdf.subarray(start, end);
  const streamAt = bytes.indexOf('stream\n');
  const dictionaryEnd = streamAt < 0 ? bytes.length : streamAt;
  return {
    dictionary: bytes.toString('latin1', 0, dictionaryEnd),
    stream: bytes.subarray(dictionaryEnd + 'stream\n'.length),
  };
};

/** Nothing if the content is larger. */
const contentOf = ({ dictionary, stream }: PdfObject, maxBytes: number): string | undefined => {
  if (!dictionary.includes('/FlateDecode')) return stream.length > maxBytes ? undefined : stream.toString('latin1');
  try {
    return inflateSync(stream, { maxOutputLength: maxBytes }).toString('latin1');
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const countZeros = (codes: string, digits: number): number => {
  const zero = '0'.repeat(digits);
  let count = 0;
  for (let at = codes.indexOf(zero); at >= 0; at = codes.indexOf(zero, at + 1)) if (at % digits === 0) count += 1;
  return count;
};

/**
 * How often a PDF of the browser shows the glyph for characters that no font has, an empty box: glyph 0 of a font
 * (OpenType, table `glyf`). A shadow has another box; a form that is drawn twice counts once. Ends before the content
 * with which more than `maxBytes` would be read.
 * @throws Error if the PDF has another form
 */
export const countMissingCharacters = async (pdf: Buffer, maxBytes = maxReadBytes): Promise<number> => {
  const objects = openPdfObjects(pdf);
  const hexDigits = new Map<string, number>();
  // Fonts of the kind Type 3 have codes of one byte. Skia makes one of each 255 glyphs, with the box as code 0.
  const digitsOf = (font: string): number =>
    hexDigits.getOrInsertComputed(font, () =>
      readObject(pdf, objects, Number(font)).dictionary.includes('/Type3') ? 2 : 4,
    );
  // Forms and images that these draw are added. A set has each of them once, however often it is drawn.
  const unread = new Set(
    [...pageObjects(objects)].map((page) => objects.reference('Contents', objects.dictionary(page))),
  );
  let [count, left, untilPause] = [0, maxBytes, maxBlockingBytes];
  for (const number of unread) {
    untilPause -= objectBytes;
    if (untilPause <= 0) {
      untilPause = maxBlockingBytes;
      await nextTurn();
    }
    const object = readObject(pdf, objects, number);
    if (object.dictionary.includes('/Subtype /Image')) continue;
    const content = contentOf(object, left);
    if (content === undefined) break;
    left -= content.length;
    untilPause -= content.length;
    let digits = 4;
    for (const [, font, codes, drawn] of content.matchAll(textOperators)) {
      if (font !== undefined) digits = digitsOf(font);
      else if (codes !== undefined) count += countZeros(codes, digits);
      else unread.add(Number(drawn));
    }
  }
  return count;
};

/**
 * The warning about characters that no font has. Reads the PDF of the browser only if the document may have some; nearly
 * no document of a European language has. Never fails.
 */
export const missingCharacterWarnings = async (pdf: Buffer, request: PrintRequest): Promise<RenderWarning[]> => {
  if (!mayLackCharacters(request)) return [];
  // A PDF of another form has no warning.
  const count = await countMissingCharacters(pdf).catch(() => 0);
  return count === 0 ? [] : [{ kind: 'content_left_out', content: missingCharacters, count }];
};
