import { placeholderStart } from '../assets/data-urls.ts';
import { decodeUnicode, sniffType, svgType } from '../assets/media-type.ts';

const dataUrl = /^[\u0000-\u0020]*data:([^,]*),/i;
/** More than any signature of an image needs, also with line breaks and each byte as %XX. */
const signatureCharacters = 600;

/** The parts of a data: URL; undefined for another URL. */
export const splitDataUrl = (url: string): { parameters: string; isBase64: boolean; body: string } | undefined => {
  const [start, parameters = ''] = dataUrl.exec(url) ?? [];
  return start === undefined
    ? undefined
    : { parameters, isBase64: /;\s*base64\s*$/i.test(parameters), body: url.slice(start.length) };
};

/** The bytes of the body of a data: URL, or of the first part of the body (Fetch standard, section 6). */
export const decodeBody = (body: string, isBase64: boolean): Buffer => {
  if (!body.includes('%')) return Buffer.from(body, isBase64 ? 'base64' : 'utf8');
  const text = Buffer.from(body)
    .toString('latin1')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text, isBase64 ? 'base64' : 'latin1');
};

const leadingSpace = /^(?:\s|%(?:20|09|0a|0d))+/i;

const cutSvg = 'its data: URL ends at the first #, within the SVG; write %23 in place of each #';

/** The end tag of an SVG or its only tag, or a comment or an instruction after it. */
const endOfSvg = /(?:<\/(?:[\w.-]+:)?svg\s*|\/|--|\?)>\s*$/;

/** Whether a fragment begins within an SVG: the browser reads the URL up to it (URL standard, section 4.4). */
const isCutByFragment = (body: string): boolean => {
  const end = body.indexOf('#');
  return (
    end >= 0 && !endOfSvg.test(decodeBody(body.slice(Math.max(0, end - signatureCharacters), end), false).toString())
  );
};

/**
 * Why no browser can show the image of a data: URL, by its first bytes; undefined if they are those of an image, or the
 * URL is another one. An empty one is no image on purpose, for example a template without its logo.
 */
export const dataImageProblem = (url: string): string | undefined => {
  const parts = splitDataUrl(url);
  if (!parts || url.startsWith(placeholderStart)) return undefined;
  const { parameters, isBase64 } = parts;
  const body = parts.body.replace(leadingSpace, '').slice(0, signatureCharacters);
  if (body === '') return undefined;
  const bytes = decodeBody(body, isBase64);
  if (/^image\/svg\+xml\s*(?:;|$)/i.test(parameters.trim())) {
    if (!decodeUnicode(bytes).trimStart().startsWith('<')) return 'its data: URL is not an SVG image';
    return !isBase64 && isCutByFragment(parts.body) ? cutSvg : undefined;
  }
  const type = sniffType(bytes);
  if (type === svgType) return `its data: URL is an SVG image, but does not say ${svgType}`;
  return type?.startsWith('image/') ? undefined : 'its data: URL is not an image in a known format';
};
