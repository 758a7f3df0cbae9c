// LibreOffice reads the text of many content controls (w:sdt) without their structure: it moves line breaks to the front,
// so that words join, prints the instructions of fields and links, and repeats entries of lists. So a control is replaced by
// its content.

const tags =
  /<(\/?)((?:[^\s<>!?/"'=:]+:)?)(sdt|sdtPr|sdtEndPr|sdtContent|dataBinding|docPartObj|docPartList)(?=[\s/>])[^<>]*>/g;

type Range = { start: number; end: number };
/** A control whose end is not read yet. `around` are its tags and properties, without its content. */
type Control = { around: Range[]; propertiesStart: number; isKept: boolean };

/**
 * The XML with the contents of content controls in their place. Two kinds of controls stay: those that show a value of a
 * custom XML part, because LibreOffice takes the value from there, and those of Word itself, such as a table of contents.
 * `xml` is a result of `editTags`.
 */
export const withoutContentControls = (xml: string): string => {
  if (!xml.includes('sdtContent')) return xml;
  const open: Control[] = [];
  const removed: Range[] = [];
  for (const { 0: tag, 1: slash, 2: prefix, 3: name, index } of xml.matchAll(tags)) {
    const end = index + tag.length;
    if (name === 'sdt' && !slash) {
      if (!tag.endsWith('/>')) open.push({ around: [{ start: index, end }], propertiesStart: -1, isKept: false });
      continue;
    }
    const control = open.at(-1);
    if (!control) continue;
    if (name === 'sdtPr' || name === 'sdtEndPr') {
      if (!slash) control.propertiesStart = index;
      if ((slash || tag.endsWith('/>')) && control.propertiesStart >= 0) {
        control.around.push({ start: control.propertiesStart, end });
        control.propertiesStart = -1;
      }
    } else if (name === 'sdtContent') control.around.push({ start: index, end });
    else if (name !== 'sdt') control.isKept ||= name !== 'dataBinding' || prefix !== 'w15:';
    else {
      open.pop();
      if (control.isKept) continue;
      // One by one: a call can have only about 100,000 arguments.
      for (const range of [...control.around, { start: index, end }]) removed.push(range);
    }
  }
  const kept: string[] = [];
  let position = 0;
  for (const { start, end } of removed.toSorted((one, other) => one.start - other.start)) {
    kept.push(xml.slice(position, Math.max(position, start)));
    // XML that is not valid can have a control within the properties of another.
    position = Math.max(position, end);
  }
  return kept.join('') + xml.slice(position);
};
