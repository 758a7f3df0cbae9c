import { describe, expect, it } from 'vitest';
import { withoutContentControls } from './content-controls.ts';
import { neutralise } from './neutralise.ts';

const control = (properties: string, content: string): string =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtEndPr><w:rPr/></w:sdtEndPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const binding = '<w:dataBinding w:xpath="/a" w:storeItemID="{1}"/>';

describe('A content control of a Word document', () => {
  it.each([
    ['a text', control('<w:text w:multiLine="1"/>', '<w:r/>'), '<w:r/>'],
    ['a cell', `<w:tr>${control('<w:id w:val="1"/>', '<w:tc/>')}</w:tr>`, '<w:tr><w:tc/></w:tr>'],
    ['another control', control('', `<w:p>${control('<w:date/>', '<w:r/>')}</w:p>`), '<w:p><w:r/></w:p>'],
    ['a control that stays', control('', control(binding, '<w:r/>')), control(binding, '<w:r/>')],
    ['the content of its list', control('<w15:repeatingSection/><w15:dataBinding/>', '<w:p/>'), '<w:p/>'],
    ['no control of its properties', control(control('', 'a'), 'b'), 'b'],
    ['nothing', '<w:p><w:sdt><w:sdtPr/><w:sdtContent/></w:sdt></w:p>', '<w:p></w:p>'],
  ])('is replaced by %s in it', (_, xml, expected) => expect(withoutContentControls(xml)).toBe(expected));

  it.each(['word/document.xml', 'word/footer1.xml'])('does not reach LibreOffice in the part %s', (path) => {
    const parts = neutralise(new Map([[path, Buffer.from(control('<w:text/>', '<w:r/>'))]]), 'ooxml');
    expect(Buffer.from(parts.get(path)!).toString()).toBe('<w:r/>');
  });

  it.each([
    ['shows a value of a custom XML part', control(`<w:text/>${binding}`, '<w:r/>')],
    [
      'is a table of contents',
      control('<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>', ''),
    ],
    ['has no end', '<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent><w:p/>'],
    ['has only an end', '<w:p/></w:sdtContent></w:sdt>'],
  ])('stays if it %s', (_, xml) => expect(withoutContentControls(xml)).toBe(xml));

  it.each(['word/document.xml', 'word/header1.xml', 'word/footnotes.xml'])('is replaced in %s', (path) => {
    const parts = new Map([[path, Buffer.from(control('<w:text/>', '<w:p/>'))]]);
    expect(Buffer.from(neutralise(parts, 'ooxml').get(path)!).toString()).toBe('<w:p/>');
  });

  it('is never longer than its XML, if an end has no start', () => {
    const [start, end] = ['<w:sdt></w:sdtPr><w:sdtContent>', '</w:sdtContent></w:sdt>'];
    expect(withoutContentControls(`<a/>${start}${end}`.repeat(2))).toBe('<a/></w:sdtPr>'.repeat(2));
    expect(withoutContentControls(`${start}${end}`.repeat(100_000))).toHaveLength(100_000 * '</w:sdtPr>'.length);
  });

  it.each(['<w:sdt>', '<w:sdtPr>', '<w:sdt><w:sdtContent>', '<w:sdt ', '</w:sdt>'])(
    'is read once if a part repeats its start without an end: %s',
    (start) => {
      const xml = start.repeat(300_000);
      expect(withoutContentControls(xml)).toBe(xml);
    },
  );
});
