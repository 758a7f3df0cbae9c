import { PDFDict, type PDFName, type PDFObject, PDFRawStream } from '@cantoo/pdf-lib';
import {
  type Change,
  type Operation,
  pathPainting,
  readOperations,
  showsText,
  withChanges,
} from '../content-stream.ts';
import { name } from '../names-and-texts.ts';
import { damaged, invalidPdf } from './invalid-pdf.ts';
import type { IsHidden } from './optional-content.ts';

/** Content with the resources that it uses. */
export type Content = { content: string; resources: PDFDict };

const beginsMarked = new Set(['BMC', 'BDC']);
const placesText = new Set(['BT', 'Td', 'TD', 'Tm', 'T*', "'", '"']);
const leftOut = new Set(['Do', 'sh', 'EI', 'MP', 'DP', 'Tj', 'TJ']);

/** What stays of an operator of hidden content: its effect on the graphics state (ISO 32000-1, 8.11.3.2). */
const withoutPainting = ({ operator, operands }: Operation): string | null => {
  if (pathPainting.has(operator)) return 'n';
  if (operator === "'") return 'T*';
  if (operator === '"') return `${operands[0]} Tw ${operands[1]} Tc T*`;
  return leftOut.has(operator) ? '' : null;
};

/** The place of text after text on its line follows from the widths of the font. */
const requirePlacedText = (isPlaced: boolean): void => {
  if (isPlaced) return;
  throw invalidPdf(
    'hidden_text_in_line',
    'The PDF has a line of text of which a layer hides a part. Open the PDF in a viewer, and print it to a new PDF.',
  );
};

const dictionaryOf = (resources: PDFDict, key: string): PDFDict => {
  const value = resources.lookup(name(key));
  return value instanceof PDFDict ? value : PDFDict.withContext(resources.context);
};

/** The entries of a dictionary whose keys and values are kept. */
const entriesOf = (dictionary: PDFDict, isKept: (key: PDFName, value: PDFObject | undefined) => boolean): PDFDict => {
  const kept = PDFDict.withContext(dictionary.context);
  for (const [key, value] of dictionary.entries())
    if (isKept(key, dictionary.context.lookup(value))) kept.set(key, value);
  return kept;
};

const isMembership = (value: PDFObject | undefined): boolean =>
  value instanceof PDFDict && [name('OCG'), name('OCMD')].includes(value.lookup(name('Type')) as PDFName);

/**
 * Content without what is hidden, and without the marks of optional content: the copy is no longer optional. The
 * resources have only the XObjects that it draws, so that no hidden image stays in the file.
 * @throws ApiError invalid_pdf for hidden text before other text on its line, and for an inline image that has no end
 */
export const visibleContent = ({ content, resources }: Content, isHidden: IsHidden): Content => {
  const properties = dictionaryOf(resources, 'Properties');
  const xObjects = dictionaryOf(resources, 'XObject');
  const drawn = new Set<PDFName>();
  const changes: Change[] = [];
  const open: ('kept' | 'removed' | 'hidden')[] = [];
  let hidden = 0;
  let isPlaced = true;

  const beginMark = ({ operator, operands: [tag, property] }: Operation): boolean => {
    const isOptional = operator === 'BDC' && name(tag?.slice(1) ?? '') === name('OC');
    const hides = isOptional && isHidden(properties.get(name(property?.slice(1) ?? '')));
    open.push(hides ? 'hidden' : isOptional || hidden > 0 ? 'removed' : 'kept');
    hidden += Number(hides);
    return open.at(-1) !== 'kept';
  };
  const endMark = (): boolean => {
    const mark = open.pop() ?? 'kept';
    hidden -= Number(mark === 'hidden');
    return mark !== 'kept';
  };
  /** Whether an operator draws an XObject that is hidden. */
  const drawsHidden = ({ operands: [operand] }: Operation): boolean => {
    const key = name(operand?.slice(1) ?? '');
    const xObject = xObjects.lookup(key);
    if (xObject instanceof PDFRawStream && isHidden(xObject.dict.get(name('OC')))) return true;
    drawn.add(key);
    return false;
  };
  /** What to write in place of an operator; null to keep it. */
  const replacementOf = (operation: Operation): string | null => {
    const { operator } = operation;
    if (beginsMarked.has(operator)) return beginMark(operation) ? '' : null;
    if (operator === 'EMC') return endMark() ? '' : null;
    isPlaced ||= placesText.has(operator);
    if (showsText.has(operator) && hidden > 0) isPlaced = false;
    else if (showsText.has(operator)) requirePlacedText(isPlaced);
    if (hidden > 0) return withoutPainting(operation);
    return operator === 'Do' && drawsHidden(operation) ? '' : null;
  };

  for (const operation of readOperations(content)) {
    if (operation.operator === 'ID') throw damaged('an image in the content of a page has no end');
    const text = replacementOf(operation);
    if (text !== null) changes.push({ start: operation.start, end: operation.end, text: ` ${text} ` });
  }
  const own = resources.clone();
  own.set(
    name('Properties'),
    entriesOf(properties, (_, value) => !isMembership(value)),
  );
  own.set(
    name('XObject'),
    entriesOf(xObjects, (key) => drawn.has(key)),
  );
  return { content: withChanges(content, changes), resources: own };
};
