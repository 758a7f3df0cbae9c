import { expect, it } from 'vitest';
import { findLeftOut } from './left-out.ts';

const leftOut = (files: Record<string, string>) =>
  findLeftOut(new Map(Object.entries(files).map(([path, xml]) => [path, Buffer.from(xml)]))).map((warning) =>
    'content' in warning ? [warning.content, warning.count] : [],
  );
const style = (id: string, content: string, more = ''): string =>
  `<w:style w:type="paragraph"${more} w:styleId="${id}"><w:name w:val="${id}"/>${content}</w:style>`;

it('The semantic layout counts what the styles of a document have only if the document uses them', () => {
  const styles =
    style('Normal', '<w:color w:val="FF0000"/>', ' w:default="1"') +
    style('Boxed', '<w:pBdr/>') +
    style('Unused', '<w:color w:val="00FF00"/><w:pBdr/><w:smallCaps/>');
  const body = '<w:p><w:pPr><w:pStyle w:val="Boxed"/></w:pPr></w:p><w:p><w:color w:val="0000FF"/></w:p>';
  expect(leftOut({ 'word/styles.xml': styles, 'word/document.xml': body })).toEqual([
    ['colours of text', 2],
    ['borders of paragraphs', 1],
  ]);
});

it('The semantic layout also counts what used styles take from the styles they are based on', () => {
  const basedOn = (id: string): string => `<w:basedOn w:val="${id}"/>`;
  const styles =
    '<w:styles>' +
    style('Title', '<w:color w:val="FF0000"/><w:pBdr/>') +
    style('MyTitle', basedOn('Middle')) +
    style('Middle', basedOn('Title')) +
    style('Loop', `${basedOn('Loop')}<w:smallCaps/>`) +
    style('Unused', `${basedOn('Title')}<w:tabs/><w:pageBreakBefore/>`);
  const file = (id: string) => ({ 'word/document.xml': `<w:pStyle w:val="${id}"/>` });
  const expected = [
    ['colours of text', 1],
    ['borders of paragraphs', 1],
  ];
  expect(leftOut({ 'word/styles.xml': styles, ...file('MyTitle') })).toEqual(expected);
  expect(leftOut({ 'word/styles.xml': styles, ...file('Loop') })).toEqual([['small capitals', 1]]);
  expect(leftOut({ 'word/styles.xml': styles.replace('styleId="MyTitle"', 'styleId="A" w:default="1"') })).toEqual(
    expected,
  );
  expect(leftOut({ 'word/styles.xml': styles, 'word/footnotes.xml': '<w:pStyle w:val="MyTitle"/>' })).toEqual(expected);
  expect(leftOut({ 'word/styles.xml': styles, 'word/numbering.xml': '<w:rStyle w:val="MyTitle"/>' })).toEqual(expected);
  expect(leftOut({ 'word/styles.xml': styles, 'word/numbering.xml': '<w:pStyle w:val="MyTitle"/>' })).toEqual([]);
});

it('The semantic layout counts fields with changing values, in both ways to write them, and phonetic guides', () => {
  const fields =
    '<w:instrText> PAGE </w:instrText><w:fldSimple w:dirty="1" w:instr=" DATE "/><w:fldSimple w:instr="IF"/>';
  expect(leftOut({ 'word/document.xml': `${fields}<w:ruby><w:rt/></w:ruby>` })).toEqual([
    ['phonetic guides', 1],
    ['fields with changing values', 2],
  ]);
});
