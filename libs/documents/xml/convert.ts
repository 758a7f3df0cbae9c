import { escapeMarkup } from '#libs/markup/escape.ts';
import { htmlDocument } from '../html-document.ts';
import { languageOf } from '../language/detect.ts';
import { scriptFreeDocument, type PreparedDocument } from '../prepared-document.ts';
import { sectionsToHtml } from '../data/sections.ts';
import { treeToHtml } from '../json/tree.ts';
import type { TablePage } from '../table/table-html.ts';
import { type ConversionContext, maxIndent, inputError } from '../input.ts';
import { titleFromFileName } from '../title.ts';
import { parseXml, type XmlToken } from './parse.ts';
import { xmlToValue } from './records.ts';

const maxLines = 200_000;

/** The HTML of XML as indented, highlighted source. An element that contains only text stays on one line. */
const xmlToHtml = (tokens: readonly XmlToken[]): string => {
  const lines: string[] = [];
  let count = 0;
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
    if (token.type === 'close' && token.depth < maxIndent) lines.push('</div>');
    if (content !== '') {
      lines.push(
        `<p>${token.depth > maxIndent ? `<span class="depth">level ${token.depth}</span> ` : ''}${content}</p>`,
      );
      count += 1;
    }
    if (token.type === 'open' && !token.selfClosing && !inline && token.depth < maxIndent)
      lines.push('<div class="in">');
    if (count > maxLines)
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
  if (first?.type === 'text' && second?.type === 'close') return { content: textToHtml(first.text), taken: 2 };
  return undefined;
};

const tokenToHtml = (token: XmlToken): string => {
  switch (token.type) {
    case 'open':
      return openTagToHtml(token);
    case 'close':
      return closeTagToHtml(token.name);
    case 'text':
      return textToHtml(token.text);
    case 'cdata':
      return `<span class="character-data">&lt;![CDATA[${escapeMarkup(token.text)}]]&gt;</span>`;
    case 'comment':
      return `<span class="comment">&lt;!--${escapeMarkup(token.text)}--&gt;</span>`;
    case 'instruction':
      return `<span class="instruction">&lt;?${escapeMarkup(token.target)}${token.body && ` ${escapeMarkup(token.body)}`}?&gt;</span>`;
    case 'doctype':
      return `<span class="instruction">&lt;!DOCTYPE${escapeMarkup(token.text)}&gt;</span>`;
    default:
      return token satisfies never;
  }
};

/** Characters that XML escapes are shown escaped, because they would look like tags and entities. */
const textToHtml = (text: string): string => escapeMarkup(escapeMarkup(text.trim()).replaceAll('&quot;', '"'));

const openTagToHtml = ({ name, attributes, selfClosing }: Extract<XmlToken, { type: 'open' }>): string =>
  `<span class="tag">&lt;${escapeMarkup(name)}</span>${attributes.map(attributeToHtml).join('')}` +
  `<span class="tag">${selfClosing ? '/&gt;' : '&gt;'}</span>`;

const attributeToHtml = ([name, value]: [string, string]): string =>
  ` <span class="attribute">${escapeMarkup(name)}</span>=<span class="value">"${escapeMarkup(escapeMarkup(value))}"</span>`;

const closeTagToHtml = (name: string): string => `<span class="tag">&lt;/${escapeMarkup(name)}&gt;</span>`;

/** The HTML of XML that repeats, as tables; undefined for other XML. */
const tablesToHtml = (tokens: readonly XmlToken[], page: TablePage): string | undefined => {
  const root = xmlToValue(tokens);
  if (!root) return undefined;
  return sectionsToHtml(root.value, { page, treeToHtml: (inner) => treeToHtml(inner, page) });
};

/** Converts XML: repeated elements to tables, anything else to indented, highlighted source. @throws ApiError */
export const convertXml = (text: string, _maxImages?: number | null, context?: ConversionContext): PreparedDocument => {
  const tokens = parseXml(text);
  const language = languageOf(text, context);
  return scriptFreeDocument(
    htmlDocument({
      title: titleFromFileName(context?.fileName) ?? tokens.find((token) => token.type === 'open')?.name ?? 'XML',
      language,
      styleSheets: ['table', 'tree'],
      body: tablesToHtml(tokens, { textWidthMm: context?.textWidthMm, language }) ?? xmlToHtml(tokens),
    }),
    'made from XML',
  );
};
