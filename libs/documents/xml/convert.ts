import { escapeHtml, languageOf, page } from '../page.ts';
import { inert, type Prepared } from '../prepared.ts';
import { deepestIndent, refusal } from '../input.ts';
import { parseXml, type XmlItem } from './parse.ts';

const maxLines = 200_000;

/** The HTML of XML as an indented, highlighted source text. An element that holds only text stays on one line. */
const printXml = (items: readonly XmlItem[]): string => {
  const lines: string[] = [];
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at];
    if (!item) break;
    const [text, close] = [items[at + 1], items[at + 2]];
    const simple = item.type === 'open' && !item.selfClosing ? oneLine(text, close) : undefined;
    if (simple) at += simple.taken;
    const content = simple && item.type === 'open' ? `${printOpen(item)}${simple.content}${printClose(item.name)}` : printItem(item);
    if (content !== '') lines.push(line(item.depth, content));
    if (lines.length > maxLines) throw refusal('xml', `The XML has more than ${maxLines} lines to show; send it in parts.`, { details: { reason: 'too many lines', limit: maxLines } });
  }
  return `<div class="tree source">\n${lines.join('\n')}\n</div>`;
};

/** What is between the tags of an element without child elements, and how many items that and the closing tag are. */
const oneLine = (first: XmlItem | undefined, second: XmlItem | undefined): { content: string; taken: number } | undefined => {
  if (first?.type === 'close') return { content: '', taken: 1 };
  if (first?.type === 'text' && second?.type === 'close') return { content: escapeHtml(first.text.trim()), taken: 2 };
  return undefined;
};

const printItem = (item: XmlItem): string => {
  switch (item.type) {
    case 'open':
      return printOpen(item);
    case 'close':
      return printClose(item.name);
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

const printOpen = ({ name, attributes, selfClosing }: Extract<XmlItem, { type: 'open' }>): string =>
  `<span class="tag">&lt;${escapeHtml(name)}</span>${attributes.map(printAttribute).join('')}<span class="tag">${selfClosing ? '/&gt;' : '&gt;'}</span>`;

const printAttribute = ([name, value]: [string, string]): string => ` <span class="attribute">${escapeHtml(name)}</span>=<span class="value">"${escapeHtml(value)}"</span>`;

const printClose = (name: string): string => `<span class="tag">&lt;/${escapeHtml(name)}&gt;</span>`;

const line = (depth: number, content: string): string =>
  depth > deepestIndent ? `<div class="l" style="--d:${deepestIndent}"><span class="depth">level ${depth}</span> ${content}</div>` : `<div class="l" style="--d:${depth}">${content}</div>`;

/** XML as indented, highlighted source. Throws a Problem. */
export const convertXml = (text: string): Prepared => inert(page({ title: 'XML', language: languageOf(text), sheets: ['tree'], body: printXml(parseXml(text)) }), 'made from XML');
