import { describe, expect, it } from 'vitest';
import { buildDocx, field as wordField, part } from '../../../test/support/documents/build-docx.ts';
import { findIgnoredFields } from './ignored-fields.ts';
import { prepareOffice } from './prepare.ts';

const featuresIn = (files: Record<string, string>): string[] =>
  findIgnoredFields(new Map(Object.entries(files).map(([name, xml]) => [`word/${name}.xml`, Buffer.from(xml)]))).map(
    (warning) => (warning.kind === 'feature_ignored' ? warning.feature : warning.kind),
  );
const field = (text: string): string => `<w:instrText xml:space="preserve"> ${text} </w:instrText>`;
const update = (value: string): string => `<w:settings><w:updateFields${value}/></w:settings>`;

describe('A warning names fields that are printed as they are stored', () => {
  it.each([
    ['a running heading', { header2: field('STYLEREF "Heading 1"') }, 'STYLEREF in a header or footer'],
    ['one in an attribute', { footer: '<w:fldSimple w:instr=" styleref 1 "/>' }, 'STYLEREF in a header or footer'],
    ['a table of contents', { document: field('TOC \\o'), settings: update('') }, 'updateFields in the settings'],
  ])('for %s', (_, files, feature) => expect(featuresIn(files)).toEqual([feature]));

  it.each([
    ['a heading in the text', { document: field('STYLEREF "Heading 1"') }],
    ['other fields in a header', { header1: field('PAGE') }],
    ['a table of contents that need not be updated', { document: field('TOC'), settings: update(' w:val="false"') }],
    ['a document without one', { document: field('PAGE'), settings: update(' w:val="true"') }],
  ])('but not for %s', (_, files) => expect(featuresIn(files)).toEqual([]));

  it('of a Word document', async () => {
    const docx = buildDocx('<w:p/>', [], {
      'word/header1.xml': part('hdr', `<w:p>${wordField('STYLEREF 1', 'a')}</w:p>`),
    });
    const feature = 'STYLEREF in a header or footer';
    expect((await prepareOffice('docx', docx, true)).warnings).toMatchObject([{ kind: 'feature_ignored', feature }]);
  });

  it.each(['<w:instrText', '<w:instrText>', 'instr = ', '<w:updateFields '])('and reads a part once: %s', (start) => {
    const xml = start.repeat(300_000);
    expect(featuresIn({ document: xml, header1: xml, settings: xml })).toEqual([]);
  });
});
