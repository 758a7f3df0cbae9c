import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { file, postForm } from '../support/client/multipart.ts';
import { buildDocx, field, paragraph, part, relationship, run, zip } from '../support/documents/build-docx.ts';
import { buildXlsx } from '../support/documents/build-xlsx.ts';
import { isOfficeAvailable } from '../support/documents/office-available.ts';
import { readPdf, readStructure } from '../support/documents/read-pdf.ts';
import { readReadingOrder } from '../support/documents/read-structure-text.ts';
import { sampleDocument } from '../support/documents/sample-documents.ts';
import { serviceForTestFile, sharedService } from '../support/service/for-test-file.ts';

const documentWithMacros = 'vnd.ms-word.document.macroEnabled.main';
const agreement = sampleDocument('agreement.docx');
const base64 = (docx: Buffer): string => docx.toString('base64');
const pageBreak = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
const threePages = base64(buildDocx(['One', 'Two', 'Three'].map((text) => paragraph(text)).join(pageBreak)));

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise'));
});

describe.skipIf(!isOfficeAvailable)('A Word document', () => {
  it('is laid out by LibreOffice, whose version is recorded, and verified with the same bytes', async () => {
    const { id, pdf_base64, warnings, pages } = await caller.render('docx', agreement);
    expect([warnings, pages]).toEqual([undefined, 1]);
    expect((await readPdf(pdf_base64))[0]!.text).toContain('agreement');
    const verified = await caller.request('POST', `/api/v1/renders/${id}/verify`);
    expect(verified.body).toMatchObject({
      matches: true,
      recorded: { engine: expect.stringMatching(/^LibreOffice\/\d/) },
    });
  });

  it('has the pages of page_ranges, and it is an error if it has none of them', async () => {
    const texts = async (page_ranges: string) =>
      (await caller.renderedPages('docx', threePages, { page_ranges })).map(({ text }) => text.trim());
    expect([await texts('2-'), await texts('3, 1'), await texts('1-9')]).toEqual([
      ['Two', 'Three'],
      ['One', 'Three'],
      ['One', 'Two', 'Three'],
    ]);
    expect((await caller.convert('docx', threePages, { page_ranges: '7' })).body).toMatchObject({
      error: 'conversion_failed',
      field: 'page_ranges',
      details: { reason: 'no_pages_in_ranges', pages: 3 },
    });
  });

  it('has a warning about the emoji that its LibreOffice cannot print', async () => {
    const docx = base64(buildDocx(paragraph('😷 😷 🏥 text')));
    const { id, warnings = [] } = await caller.render('docx', docx);
    const { body } = await caller.request('GET', `/api/v1/renders/${id}`);
    const isOld = /^LibreOffice\/7\.[0-4]\./.test((body as { engine: string }).engine);
    const content = 'different characters in an emoji font, which LibreOffice prints from version 7.5 on';
    expect(warnings.map(({ message: _, ...rest }) => rest)).toEqual(
      isOld ? [{ type: 'content_left_out', content, count: 2 }] : [],
    );
  });

  it('has the metadata, tags and bookmarks that the options name', async () => {
    const options = { metadata: { title: 'Mine' }, outline: true };
    const { pdf_base64: pdf } = await caller.render('docx', agreement, options);
    const { isTagged, outline } = await readStructure(pdf);
    expect([isTagged, outline.slice(0, 2)]).toEqual([true, ['1 Subject', ' 1.1 Scope']]);
    expect(Buffer.from(pdf, 'base64').toString('latin1')).toContain('<FEFF004d0069006e0065>');
  });

  it('has a title for accessible PDFs, even without one in its properties', async () => {
    const untitled = base64(buildDocx(`<w:p>${run('Text')}</w:p>`));
    const titleOf = (pdf: string): string =>
      Buffer.from(pdf, 'base64')
        .toString('latin1')
        .match(/<dc:title>[^]*?<\/dc:title>/)?.[0] ?? '';
    const { pdf_base64: pdf } = await caller.render('docx', untitled, { conformance: 'pdf/ua-1' });
    expect(titleOf(pdf)).toContain('>Document<');
    const { body } = await postForm(caller, [
      ['file', file('Offer 7.docx', Buffer.from(untitled, 'base64'))],
      ['conformance', 'pdf/ua-1'],
    ]);
    expect(titleOf(String(body['pdf_base64']))).toContain('>Offer 7<');
  });

  it('has the state of tick boxes as text, because assistive technology reads no drawn one', async () => {
    const begin = (state: string): string =>
      `<w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="a"/><w:enabled/><w:checkBox><w:sizeAuto/>${state}` +
      '</w:checkBox></w:ffData></w:fldChar>';
    const box = (state: string, label: string): string =>
      `<w:p>${field('FORMCHECKBOX').replace('<w:fldChar w:fldCharType="begin"/>', begin(state))}${run(label)}</w:p>`;
    const form = base64(buildDocx(box('<w:checked/>', ' Yes') + box('<w:default w:val="0"/>', ' No')));
    const { pdf_base64: pdf } = await caller.render('docx', form, { conformance: 'pdf/ua-1' });
    expect((await readReadingOrder(pdf)).join('')).toMatch(/☒ Yes.*☐ No/);
  });

  it('may have macros, which are removed, under its own extension and content type', async () => {
    const macros = relationship('rId9', 'vbaProject', 'vbaProject.bin');
    const withMacros = unzipSync(buildDocx(paragraph('With macros'), [macros], { 'word/vbaProject.bin': 'Sub' }));
    const types = Buffer.from(withMacros['[Content_Types].xml']!).toString();
    const docm = zip({
      ...withMacros,
      '[Content_Types].xml': types
        .replace('vnd.openxmlformats-officedocument.wordprocessingml.document.main', documentWithMacros)
        .replace('vnd.openxmlformats-officedocument.oleObject', 'vnd.ms-office.vbaProject'),
    });
    const uploads = [
      file('letter.docm', docm),
      file('letter', docm, 'application/vnd.ms-word.document.macroEnabled.12'),
    ];
    for (const upload of uploads) {
      const { body } = await postForm(caller, [['file', upload]]);
      const [page] = await readPdf(String(body['pdf_base64']));
      expect(page!.text).toContain('With macros');
    }
  });

  it('warns of options that do not apply to it', async () => {
    const { warnings } = await caller.render('docx', agreement, { margin_top: 5, header_html: '<b>x</b>' });
    expect(warnings).toEqual([
      expect.objectContaining({ type: 'option_ignored', option: 'margin_top' }),
      expect.objectContaining({ type: 'option_ignored', option: 'header_html' }),
    ]);
  });

  it('shows the time of the request in its fields', async () => {
    const body = `<w:p>${run('Today ')}${field('DATE \\@ "yyyy-MM-dd"', '2001-01-01')}</w:p>`;
    const { created_at, pdf_base64 } = await caller.render('docx', base64(buildDocx(body)));
    expect((await readPdf(pdf_base64))[0]!.text).toContain(`Today ${created_at.slice(0, 10)}`);
  });

  /** A field whose instruction contains another one. */
  const outerField = (before: string, inner: string, after: string, result: string): string =>
    field(`${before}</w:instrText></w:r>${inner}<w:r><w:instrText xml:space="preserve">${after}`, result);
  const bookmarked =
    '</w:t></w:r><w:bookmarkStart w:id="1" w:name="total"/>' + run('5') + '<w:bookmarkEnd w:id="1"/><w:r><w:t>';
  const fields = [
    outerField('IF ', field('MERGEFIELD Sex', 'F'), ' = "F" "Ms" "Mr"', 'Ms') + run(' Day'),
    field('MACROBUTTON NoMacro [Click here]'),
    run('Gross ') + outerField('= ', field('MERGEFIELD net', '100'), ' * 1.2 \\# "0.00"', '120.00') + run(' EUR'),
    outerField('SET total ', field('= 2 + 3', '5'), '', bookmarked) + run('Total ') + field('REF total', '5'),
  ];
  const fieldsInRtf = [
    '{\\field{\\*\\fldinst IF {\\field{\\*\\fldinst MERGEFIELD Sex}{\\fldrslt F}} = "F" "Ms" "Mr"}{\\fldrslt Ms}} Day',
    '{\\field{\\*\\fldinst MACROBUTTON NoMacro [Click here]}}',
    'Gross {\\field{\\*\\fldinst = {\\field{\\*\\fldinst MERGEFIELD net}{\\fldrslt 100}} * 1.2}{\\fldrslt 120.00}} EUR',
    '{\\field{\\*\\fldinst SET total {\\field{\\*\\fldinst = 2 + 3}{\\fldrslt 5}}}' +
      '{\\fldrslt {\\*\\bkmkstart total}5{\\*\\bkmkend total}}}Total {\\field{\\*\\fldinst REF total}{\\fldrslt 5}}',
  ];
  it.each([
    ['docx', buildDocx(fields.map((content) => `<w:p>${content}</w:p>`).join(''))],
    ['rtf', Buffer.from(`{\\rtf1\\ansi ${fieldsInRtf.map((content) => `${content}\\par`).join('\n')}}`)],
  ])('shows the results of its fields, where they are, and the texts of buttons: %s', async (inputType, letter) => {
    const [page] = await caller.renderedPages(inputType, base64(letter));
    const words = page!.text.split(/\s+/).filter(Boolean).join(' ');
    // The conditions, the buttons, only the result of a field with another one, and a value kept for another field.
    expect(words).toBe('Ms Day [Click here] Gross 120.00 EUR Total 5');
  });

  it('is hyphenated if its settings say so', async () => {
    // LibreOffice needs two seconds of processor time to load the patterns of German.
    const word = 'anticonstitutionnellement ';
    const body = paragraph(word.repeat(8), '<w:ind w:right="3500"/>', '<w:lang w:val="fr-FR"/>');
    const docx = buildDocx(body, [relationship('r1', 'settings', 'settings.xml')], {
      'word/settings.xml': part('settings', '<w:autoHyphenation/>'),
    });
    const [page] = await caller.renderedPages('docx', base64(docx));
    expect(page!.text).toMatch(/[a-z][-\u00AD\u2010]/);
  });

  it.each([
    ['docx', buildDocx(`<w:p>${field('FILENAME  \\p  \\* MERGEFORMAT', 'C:\\a')}</w:p>`)],
    ['xlsx', buildXlsx([['cell']], '<headerFooter><oddHeader>&amp;L&amp;Z&amp;F</oddHeader></headerFooter>')],
    ['rtf', Buffer.from('{\\rtf1\\ansi {\\field{\\*\\fldinst FILENAME \\\\p}{\\fldrslt report.rtf}}\\par}')],
  ])('shows the name of its file without a folder of the service: %s', async (inputType, content) => {
    const { body } = await postForm(caller, [['file', file(`report.${inputType}`, content)]]);
    const [page] = await readPdf(String(body['pdf_base64']));
    expect(page!.text).toContain(`report.${inputType}`);
    expect(page!.text).not.toContain('/');
  });

  it('is printed in the style of the service with docx_layout semantic, which says what it leaves out', async () => {
    const docx = base64(buildDocx(paragraph('Red', '<w:ind w:left="720"/>', '<w:color w:val="FF0000"/>')));
    const { warnings } = await caller.render('docx', docx, { docx_layout: 'semantic' });
    expect(warnings).toEqual(
      ['page sizes and margins of the document', 'colours of text', 'indents'].map((content) =>
        expect.objectContaining({ type: 'content_left_out', content, count: 1 }),
      ),
    );
  });

  it.each([
    ['rtf', Buffer.from('{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Arial;}}\\f0\\fs24 From rich text\\par}')],
    ['doc', Buffer.from('{\\rtf1\\ansi From an old Word\\par}')],
  ])('may also be a file of the type %s', async (inputType, file) => {
    const [page] = await caller.renderedPages(inputType, base64(file));
    expect(page!.text).toContain('From');
    expect(await caller.convert(inputType, base64(Buffer.from('plain')))).toMatchObject({
      status: 422,
      body: { error: 'invalid_document', details: 'wrong signature' },
    });
  });
});

describe.skipIf(!isOfficeAvailable)('Tracked changes', () => {
  const odtContent =
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ' +
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    'office:version="1.2"><office:body><office:text><text:tracked-changes><text:changed-region xml:id="c" ' +
    'text:id="c"><text:deletion><office:change-info><dc:creator>A</dc:creator><dc:date>2026-01-01T00:00:00</dc:date>' +
    '</office:change-info><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>' +
    '<text:p>Kept <text:change text:change-id="c"/>added</text:p></office:text></office:body></office:document-content>';
  const odtManifest =
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry ' +
    'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry ' +
    'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>';
  const deletion = '<w:del w:id="1" w:author="A"><w:r><w:delText>gone</w:delText></w:r></w:del>';
  const files: [inputType: string, file: Buffer][] = [
    [
      'docx',
      buildDocx(
        `<w:p>${run('Kept ')}${deletion}${run('added')}</w:p>`,
        [relationship('r1', 'settings', 'settings.xml')],
        {
          'word/settings.xml': part('settings', '<w:documentProtection w:edit="trackedChanges" w:enforcement="1"/>'),
        },
      ),
    ],
    [
      'odt',
      zip({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'META-INF/manifest.xml': odtManifest,
        'content.xml': odtContent,
      }),
    ],
    [
      'rtf',
      Buffer.from(
        '{\\rtf1\\ansi {\\deleted gone\\deleted0 Kept }{\\deleted\\revauthdel1 gone{\\v0 gone}}{\\v\\deleted0 secret}' +
          '{\\revised\\revauth1 added}\\par}',
      ),
    ],
  ];

  it.each(files)('of a file of the type %s are printed as accepted', async (inputType, file) => {
    const [page] = await caller.renderedPages(inputType, base64(file));
    expect(page!.text.trim()).toBe('Kept added');
  });
});

describe.skipIf(!isOfficeAvailable)('A workbook', () => {
  const rows = Array.from({ length: 90 }, (_, row) => [`Row ${row}`, ...Array.from({ length: 20 }, () => 'wide')]);
  const sizeOf = ({ width, height }: { width: number; height: number }) => [Math.round(width), Math.round(height)];

  it('is as wide as a page unless its page setup says more, and gives the same bytes', async () => {
    const file = base64(buildXlsx(rows, '<pageSetup paperSize="9" orientation="landscape"/>'));
    const { id, pdf_base64 } = await caller.render('xlsx', file);
    const pages = await readPdf(pdf_base64);
    expect(pages.flatMap(({ text }) => text.match(/Row \d+/g) ?? [])).toHaveLength(90);
    expect(pages.every(({ text }) => text.includes('Row'))).toBe(true);
    expect(sizeOf(pages[0]!)).toEqual([297, 210]);
    expect((await caller.request('POST', `/api/v1/renders/${id}/verify`)).body).toMatchObject({ matches: true });
  });

  it('shows the stored values of cells that refer to other workbooks', async () => {
    const files = unzipSync(buildXlsx([['own', 'other']]));
    const path = 'xl/worksheets/sheet1.xml';
    const sheet = Buffer.from(files[path]!).toString();
    const linked = sheet.replace(
      /<c t="inlineStr"><is><t>other.*?<\/c>/,
      `<c t="str"><f>'[1]A'!A1</f><v>stored</v></c>`,
    );
    const [page] = await caller.renderedPages('xlsx', base64(zip({ ...files, [path]: linked })));
    expect(page!.text.split(/\s+/).filter(Boolean)).toEqual(['own', 'stored']);
  });

  it('is refused for PDF/UA, with a footer and without, because its cells are not in the structure', async () => {
    const footer = '<headerFooter><oddFooter>&amp;CPage &amp;P</oddFooter></headerFooter>';
    const [plain, withFooter] = [undefined, footer].map((setup) => base64(buildXlsx([['Name', 'Amount']], setup)));
    const message = expect.stringMatching(/cells .* structure .* as CSV/) as unknown;
    const expected = (element: string) => ({
      status: 422,
      body: {
        error: 'conformance_not_met',
        violations: [{ standard: 'ISO 14289-1, 7.1', element, message }],
        total_violations: 1,
      },
    });
    for (const workbook of [plain, withFooter])
      expect(await caller.convert('xlsx', workbook, { conformance: 'pdf/ua-1' })).toMatchObject(expected('Document'));
    const part = { mode: 'CONVERT', input_type: 'xlsx', data: withFooter };
    const compose = { mode: 'COMPOSE', parts: [part], metadata: { title: 'T' }, conformance: 'pdf/ua-1' };
    expect(await caller.postRender(compose)).toMatchObject(expected('parts[0]: Document'));
    expect((await caller.convert('xlsx', plain, { conformance: 'pdf/a-2b' })).status).toBe(200);
  });

  it('is one page for each visible sheet with one_page_per_sheet, on larger paper where it needs it', async () => {
    const onePage = async (cells: string[][]) =>
      caller.renderedPages('xlsx', base64(buildXlsx(cells)), { one_page_per_sheet: true });
    const [large, ...others] = await onePage(rows);
    expect([large!.text.match(/Row \d+/g)?.length, others]).toEqual([90, []]);
    expect([large!.width > 350, large!.height > 475]).toEqual([true, true]);
    expect((await onePage([['small']])).map((page) => [page.text.trim(), sizeOf(page)])).toEqual([
      ['small', [210, 297]],
    ]);
  });
});

describe('Without LibreOffice', () => {
  const at = serviceForTestFile(() => ({ LIBREOFFICE_FOLDER: 'none' }));
  let caller: ApiClient;
  beforeAll(async () => {
    caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
  });

  it('the service is ready, and says what it cannot do', async () => {
    const response = await fetch(`${at.service.url}/health/ready`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ready', limitations: [expect.stringContaining('LibreOffice')] },
    ]);
  });

  it('a Word document is printed in the style of the service, with a warning', async () => {
    const { warnings } = await caller.render('docx', agreement);
    expect(warnings![0]).toMatchObject({ type: 'layout_fallback', reason: expect.stringContaining('LibreOffice') });
    expect((await caller.render('docx', agreement, { docx_layout: 'semantic' })).warnings).not.toContainEqual(
      expect.objectContaining({ type: 'layout_fallback' }),
    );
  });

  it.each([
    ['docx', { docx_layout: 'faithful' }],
    ['odt', {}],
  ])('%s with the options %o is refused', async (inputType, options) => {
    expect(await caller.convert(inputType, agreement, options)).toMatchObject({
      status: 501,
      body: { error: 'office_not_installed', message: expect.stringContaining('LibreOffice') },
    });
  });
});
