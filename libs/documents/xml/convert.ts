import { escapeHtml, detectLanguage, htmlDocument } from '../html-document.ts';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { maxIndent, inputError } from '../input.ts';
import { parseXml, type XmlToken } from './parse.ts';

const maxLines = 200_000;

/** The HTML of XML as indented, highlighted source. An element that contains only text stays on one line. */
const xmlToHtml = (tokens: readonly XmlToken[]): string => {
  const lines: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token) break;
    const [text, close] = [tokens[index + 1], tokens[index + 2]];
    const inline = token.type === 'open' && !token.selfClosing ? inlineContent(text, close) : undefined;
    if (inline) index += inline.taken;
    const content =
      inline && token.type === 'open'
        ? `${openTagToHtml(token)}${inline.content}${closeTagToHtml(token.name)}`
        : tokenToHtml(token);
    if (content !== '') lines.push(lineToHtml(token.depth, content));
    if (lines.length > maxLines)
      throw inputError('xml', `The XML has more than ${maxLines} lines to show; send it in parts.`, {
        details: { reason: 'too many lines', limit: maxLines },
      });
  }
  return `<div class="tree source">\n${lines.join('\n')}\n</div>`;
};

/** The content of an element without child elements, and the number of tokens taken, including the closing tag. */
const inlineContent = (
  first: XmlToken | undefined,
  second: XmlToken | undefined,
): { content: string; taken: number } | undefined => {
  if (first?.type === 'close') return { content: '', taken: 1 };
  if (first?.type === 'text' && second?.type === 'close') return { content: escapeHtml(first.text.trim()), taken: 2 };
  return undefined;
};

const tokenToHtml = (token: XmlToken): string => {
  switch (token.type) {
    case 'open':
      return openTagToHtml(token);
    case 'close':
      return closeTagToHtml(token.name);
    case 'text':
      return escapeHtml(token.text.trim());
    case 'cdata':
      return `<span class="character-data">&lt;![CDATA[${escapeHtml(token.text)}]]&gt;</span>`;
    case 'comment':
      return `<span class="comment">&lt;!--${escapeHtml(token.text)}--&gt;</span>`;
    case 'instruction':
      return `<span class="instruction">&lt;?${escapeHtml(token.target)}${token.body && ` ${escapeHtml(token.body)}`}?&gt;</span>`;
    case 'doctype':
      return `<span class="instruction">&lt;!DOCTYPE${escapeHtml(token.text)}&gt;</span>`;
    default:
      return token satisfies never;
  }
};

const openTagToHtml = ({ name, attributes, selfClosing }: Extract<XmlToken, { type: 'open' }>): string =>
  `<span class="tag">&lt;${escapeHtml(name)}</span>${attributes.map(attributeToHtml).join('')}` +
  `<span class="tag">${selfClosing ? '/&gt;' : '&gt;'}</span>`;

const attributeToHtml = ([name, value]: [string, string]): string =>
  ` <span class="attribute">${escapeHtml(name)}</span>=<span class="value">"${escapeHtml(value)}"</span>`;

const closeTagToHtml = (name: string): string => `<span class="tag">&lt;/${escapeHtml(name)}&gt;</span>`;

const lineToHtml = (depth: number, content: string): string =>
  depth > maxIndent
    ? `<div class="l" style="--d:${maxIndent}"><span class="depth">level ${depth}</span> ${content}</div>`
    : `<div class="l" style="--d:${depth}">${content}</div>`;

/** Converts XML to indented, highlighted source. @throws ApiError */
export const convertXml = (text: string): PreparedDocument =>
  scriptFreeDocument(
    htmlDocument({
      title: 'XML',
      language: detectLanguage(text),
      styleSheets: ['tree'],
      body: xmlToHtml(parseXml(text)),
    }),
    'made from XML',
  );
