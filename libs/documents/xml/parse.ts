import { SaxesParser } from 'saxes';
import type { ApiError } from '#contracts/http/api-error.ts';
import { maxDepth, inputError, nestedTooDeeplyError } from '../input.ts';

/** `depth` is the number of elements around the token. */
export type XmlToken =
  | { type: 'open'; depth: number; name: string; attributes: [name: string, value: string][]; selfClosing: boolean }
  | { type: 'close'; depth: number; name: string }
  | { type: 'text' | 'cdata' | 'comment'; depth: number; text: string }
  | { type: 'instruction'; depth: number; target: string; body: string }
  | { type: 'doctype'; depth: number; text: string };

/**
 * Parses well-formed XML 1.0. Nothing external is fetched, and entity definitions are refused.
 * @throws ApiError with the line
 */
export const parseXml = (text: string): XmlToken[] => {
  const tokens: XmlToken[] = [];
  const add = (token: XmlToken): void => {
    if (tokens.push(token) > maxTokens) throw tooManyTokensError();
  };
  let depth = 0;
  const parser = new SaxesParser({ position: true, xmlns: false });
  parser.on('error', (error) => {
    throw bareAmpersandError(text, parser.line) ?? malformedXmlError(error.message, parser.line);
  });
  parser.on('xmldecl', ({ version, encoding, standalone }) =>
    add({ type: 'instruction', depth, target: 'xml', body: declaration({ version, encoding, standalone }) }),
  );
  parser.on('processinginstruction', ({ target, body }) => add({ type: 'instruction', depth, target, body }));
  parser.on('doctype', (doctype) => add({ type: 'doctype', depth, text: withoutEntities(doctype, text) }));
  parser.on('comment', (comment) => add({ type: 'comment', depth, text: comment }));
  parser.on('text', (content) => add({ type: 'text', depth, text: content }));
  parser.on('cdata', (content) => add({ type: 'cdata', depth, text: content }));
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    if (depth >= maxDepth) throw nestedTooDeeplyError('xml', parser.line);
    add({ type: 'open', depth, name, attributes: Object.entries(attributes), selfClosing: isSelfClosing });
    depth += 1;
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    depth -= 1;
    if (!isSelfClosing) add({ type: 'close', depth, name });
  });
  parser.write(text).close();
  return tokens;
};

// Enough for the largest document that is printed: an element on one line takes three tokens.
const maxTokens = 600_000;

const tooManyTokensError = (): ApiError =>
  inputError('xml', `The XML has more than ${maxTokens} tags and texts; send it in parts.`, {
    details: { reason: 'too many tags and texts', limit: maxTokens },
  });

const declaration = (parts: Record<string, string | undefined>): string =>
  Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ');

const malformedXmlError = (message: string, line: number): ApiError => {
  const reason = message.replace(/^\d+:\d+:\s*/, '').replace(/\.$/, '');
  return inputError('xml', `The XML is malformed on line ${line}: ${reason}.`, { details: reason, line });
};

/** An ampersand that begins no reference, after what may contain such a one. */
const bareAmpersand =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|<\?[^]*?(?:\?>|$)|<!DOCTYPE[^>]*|&(?!#?[\p{L}\p{N}_:.-]+;)/gu;

/** The parser notices a bare ampersand only at the next semicolon, or at the end. */
const bareAmpersandError = (text: string, lastLine: number): ApiError | null => {
  for (const { 0: found, index } of text.matchAll(bareAmpersand)) {
    if (found !== '&') continue;
    const line = text.slice(0, index).split(/\r\n|\r|\n/).length;
    return line <= lastLine ? malformedXmlError('"&" must be written "&amp;"', line) : null;
  }
  return null;
};

const withoutEntities = (doctype: string, text: string): string => {
  if (!/<!ENTITY/i.test(doctype)) return doctype;
  const line = text.slice(0, text.search(/<!ENTITY/i)).split('\n').length;
  throw inputError(
    'xml',
    `The XML defines entities on line ${line}. Entity definitions are not supported; write their text where it is needed.`,
    { details: 'entity definition in the document type', line },
  );
};
