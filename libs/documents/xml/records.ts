import type { JsonValue } from '../json/parse.ts';
import type { XmlToken } from './parse.ts';

type Entries = [string, JsonValue][];
type Element = {
  name: string;
  entries: Entries;
  attributes: Set<string>;
  text: string;
  hasElements: boolean;
  closedNames: Set<string>;
};

/** The name of the text of an element that also has attributes. */
const textName = '(text)';

const string = (text: string): JsonValue => ({ type: 'string', text });

const isEmptyText = (value: JsonValue): boolean => value.type === 'string' && value.text === '';

/** Among records, an empty element is a record without values. */
const completeRecords = (value: JsonValue): void => {
  if (value.type !== 'array' || !value.items.some(({ type }) => type === 'object')) return;
  value.items = value.items.map((item) => (isEmptyText(item) ? { type: 'object', entries: [] } : item));
};

/** The value of an element that has ended; undefined if it mixes text and elements. */
const valueOf = ({ entries, text, hasElements }: Element): JsonValue | undefined => {
  const content = text.trim();
  if (hasElements && content !== '') return undefined;
  if (entries.length === 0) return string(content);
  for (const [, value] of entries) completeRecords(value);
  return { type: 'object', entries: content === '' ? entries : [...entries, [textName, string(content)]] };
};

/** Adds a child; neighbours of the same name become an array. False if other elements are between them. */
const addChild = (parent: Element, name: string, value: JsonValue, lists: WeakSet<JsonValue>): boolean => {
  parent.hasElements = true;
  const last = parent.entries.at(-1);
  if (last?.[0] === name && parent.closedNames.has(name)) {
    if (last[1].type === 'array' && lists.has(last[1])) last[1].items.push(value);
    else {
      const list: JsonValue = { type: 'array', items: [last[1], value] };
      lists.add(list);
      last[1] = list;
    }
    return true;
  }
  if (parent.closedNames.has(name)) return false;
  parent.closedNames.add(name);
  // An attribute of the same name would make two columns with one heading.
  if (parent.attributes.has(name)) return false;
  parent.entries.push([name, value]);
  return true;
};

/**
 * XML as data: attributes and child elements become entries, elements of the same name become arrays, text is trimmed.
 * Undefined if the XML is not data: it has mixed content, comments, instructions or a document type, or its repeated
 * elements are among others.
 */
export const xmlToValue = (tokens: readonly XmlToken[]): { name: string; value: JsonValue } | undefined => {
  const lists = new WeakSet<JsonValue>();
  const open: Element[] = [];
  let root: { name: string; value: JsonValue } | undefined;
  const close = (): boolean => {
    const element = open.pop()!;
    const value = valueOf(element);
    if (!value) return false;
    const parent = open.at(-1);
    if (parent) return addChild(parent, element.name, value, lists);
    root = { name: element.name, value };
    return true;
  };
  for (const token of tokens) {
    switch (token.type) {
      case 'open': {
        const entries: Entries = token.attributes.map(([name, value]) => [name, string(value)]);
        const attributes = new Set(token.attributes.map(([name]) => name));
        open.push({ name: token.name, entries, attributes, text: '', hasElements: false, closedNames: new Set() });
        if (token.selfClosing && !close()) return undefined;
        break;
      }
      case 'close':
        if (!close()) return undefined;
        break;
      case 'text':
      case 'cdata': {
        const element = open.at(-1);
        if (element) element.text += token.text;
        break;
      }
      case 'instruction':
        if (token.target !== 'xml') return undefined;
        break;
      case 'comment':
      case 'doctype':
        return undefined;
      default:
        token satisfies never;
    }
  }
  return root;
};
