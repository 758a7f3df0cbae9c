import { escapeHtml, detectLanguage, htmlDocument } from '../html-document.ts';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { maxIndent, inputError } from '../input.ts';
import { parseXml, type XmlToken } from './parse.ts';

const maxLines = 200_000;

/** The HTML of XML as an indented, highlighted source text. An element that holds only text stays on one line. */
const xmlToHtml = (items: readonly XmlToken[]): string => {
  const lines: string[] = [];
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (!item) break;
    const [text, close] = [items[at + 1], items[at + 2]];
    const simple = item.type === 'open' && !item.selfClosing ? inlineContent(text, close) : undefined;
    if (simple) at += simple.taken;
    const content =
      simple && item.type === 'open'
        ? `${openTagToHtml(item)}${simple.content}${closeTagToHtml(item.name)}`
        : tokenToHtml(item);
    if (content !== '') lines.push(lineToHtml(item.depth, content));
    if (lines.length > maxLines)
      throw inputError('xml', `The XML has more than ${maxLines} lines to show; send it in parts.`, {
        details: { reason: 'too many lines', limit: maxLines },
      });
  }
  return `<div class="tree source">\n${lines.join('\n')}\n</div>`;
};

/** What is between the tags of an element without child elements, and how many items that and the closing tag are. */
const inlineContent = (
  first: XmlToken | undefined,
  second: XmlToken | undefined,
): { content: string; taken: number } | undefined => {
  if (first?.type === 'close') return { content: '', taken: 1 };
  if (first?.type === 'text' && second?.type === 'close') return { content: escapeHtml(first.text.trim()), taken: 2 };
  return undefined;
};

const tokenToHtml = (item: XmlToken): string => {
  switch (item.type) {
    case 'open':
      return openTagToHtml(item);
    case 'close':
      return closeTagToHtml(item.name);
    case 'text':
      return escapeHtml(item.text.trim());
    case 'cdata':
      return `<span class="character-data">&lt;![CDATA[${escapeHtml(item.text)}]]&gt;</span>`;
    case 'comment':
      return `<span class="comment">&lt;!--${escapeHtml(item.text)}--&gt;</span>`;
    case 'instruction':
      return `<span class="instruction">&lt;?${escapeHtml(item.target)}${item.body && ` ${escapeHtml(item.body)}`}?&gt;</span>`;
    case 'doctype':
      return `<span class="instruction">&lt;!DOCTYPE${escapeHtml(item.text)}&gt;</span>`;
    default:
      return item satisfies never;
  }
};

const openTagToHtml = ({ name, attributes, selfClosing }: Extract<XmlToken, { type: 'open' }>): string =>
  `<span class="tag">&lt;${escapeHtml(name)}</span>${attributes.map(attributeToHtml).join('')}<span class="tag">${selfClosing ? '/&gt;' : '&gt;'}</span>`;

const attributeToHtml = ([name, value]: [string, string]): string =>
  ` <span class="attribute">${escapeHtml(name)}</span>=<span class="value">"${escapeHtml(value)}"</span>`;

const closeTagToHtml = (name: string): string => `<span class="tag">&lt;/${escapeHtml(name)}&gt;</span>`;

const lineToHtml = (depth: number, content: string): string =>
  depth > maxIndent
    ? `<div class="l" style="--d:${maxIndent}"><span class="depth">level ${depth}</span> ${content}</div>`
    : `<div class="l" style="--d:${depth}">${content}</div>`;

/** XML as indented, highlighted source. Throws a Problem. */
export const convertXml = (text: string): PreparedDocument =>
  scriptFreeDocument(
    htmlDocument({ title: 'XML', language: detectLanguage(text), sheets: ['tree'], body: xmlToHtml(parseXml(text)) }),
    'made from XML',
  );
