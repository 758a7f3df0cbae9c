import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRawStream } from '@cantoo/pdf-lib';
import { name, textOf } from '../names-and-texts.ts';
import { invalidPdf } from './invalid-pdf.ts';
import { boxOf } from './pages.ts';

/**
 * What viewers draw without an appearance. Not the icons of notes, files and sounds: they only open what the part does
 * not have.
 */
const drawnKinds: ReadonlySet<string> = new Set([
  ...['FreeText', 'Line', 'Square', 'Circle', 'Polygon', 'PolyLine', 'Ink', 'Stamp'],
  ...['Highlight', 'Underline', 'Squiggly', 'StrikeOut'],
]);

const comboFlag = 2 ** 17;
const howToDraw = 'Open the PDF in a viewer, and print it to a new PDF.';

/** An attribute of a form field, which a field may inherit. */
const inherited = (field: PDFDict, key: string): PDFObject | undefined => {
  let at: PDFObject | undefined = field;
  for (let depth = 0; depth < 50 && at instanceof PDFDict; depth += 1) {
    const value = at.lookup(name(key));
    if (value) return value;
    at = at.lookup(name('Parent'));
  }
  return undefined;
};

const hasArea = (annotation: PDFDict): boolean => {
  const box = boxOf(annotation.context, annotation.get(name('Rect')));
  return box !== null && box[0] < box[2] && box[1] < box[3];
};

/** Whether an appearance of another button of the same field is named as the state that is on. */
const isStateOfOther = (button: PDFDict, state: PDFName): boolean => {
  const field = button.lookup(name('Parent'));
  const kids = field instanceof PDFDict ? field.lookup(name('Kids')) : undefined;
  if (!(kids instanceof PDFArray)) return false;
  return kids.asArray().some((reference) => {
    const kid = button.context.lookup(reference);
    const appearances = kid instanceof PDFDict && kid !== button ? kid.lookup(name('AP')) : undefined;
    const states = appearances instanceof PDFDict ? appearances.lookup(name('N')) : undefined;
    return states instanceof PDFDict && states.has(state);
  });
};

/** Whether a field shows something: the value of a text or a choice, the mark of a box, the options of a list. */
const showsValue = (field: PDFDict): boolean => {
  const value = inherited(field, 'V');
  if (value instanceof PDFName) {
    const state = field.lookup(name('AS'));
    return (state ?? value) !== name('Off') && (state !== undefined || !isStateOfOther(field, value));
  }
  if (value instanceof PDFRawStream) return true;
  const texts = value instanceof PDFArray ? value.asArray().map((item) => field.context.lookup(item)) : [value];
  if (texts.some((text) => textOf(text)?.trim())) return true;
  const [flags, options] = [inherited(field, 'Ff'), inherited(field, 'Opt')];
  const isCombo = flags instanceof PDFNumber && (flags.asNumber() & comboFlag) !== 0;
  return inherited(field, 'FT') === name('Ch') && !isCombo && options instanceof PDFArray && options.size() > 0;
};

/**
 * Checks a visible annotation that has no appearance in its present state.
 * @throws ApiError invalid_pdf if viewers would draw it all the same
 */
export const requireAppearance = (annotation: PDFDict, page: number): void => {
  const appearances = annotation.lookup(name('AP'));
  // Of a box or button: in a state without an appearance it shows nothing.
  if (appearances instanceof PDFDict && appearances.lookup(name('N')) instanceof PDFDict) return;
  const subtype = annotation.lookup(name('Subtype'));
  const kind = subtype instanceof PDFName ? subtype.decodeText() : '';
  if (kind === 'Widget' && hasArea(annotation) && showsValue(annotation)) {
    const field = (textOf(inherited(annotation, 'T')) ?? '').slice(0, 60);
    throw invalidPdf(
      'field_without_appearance',
      `The form field "${field}" on page ${page} has a value that the PDF does not draw. ${howToDraw}`,
    );
  }
  if (drawnKinds.has(kind))
    throw invalidPdf(
      'annotation_without_appearance',
      `The annotation ${kind} on page ${page} has no appearance, so that each viewer draws it in its own way. ${howToDraw}`,
    );
};
