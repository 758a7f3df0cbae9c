import { readFileSync } from 'node:fs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { archiveLimits } from '../office/archive.ts';
import { convertDocx } from './convert.ts';
import { showPrintedText } from './shown-text.ts';

const contentTypes =
  `<?xml version="1.0"?><Types ` +
  `xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Default Extension="rels" ` +
  `ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/>` +
  `<Default Extension="emf" ContentType="image/x-emf"/>` +
  `<Override PartName="/word/document.xml" ` +
  `ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
  `</Types>`;
const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
const relations = (...all: string[]) =>
  `<?xml version="1.0"?><Relationships ` +
  `xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`;
const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const wordDocument = (body: string) =>
  `<?xml version="1.0"?><w:document ` +
  `xmlns:w="${wordNamespace}" ` +
  `xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
  `xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
  `xmlns:v="urn:schemas-microsoft-com:vml" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  `xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>${body}</w:body>` +
  `</w:document>`;

const paragraph = (text: string, run = '', properties = '') =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:rPr>${run}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
const row = (...cells: string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`;

const packed = (files: Record<string, string | Uint8Array>) =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([name, content]) => [
          name,
          typeof content === 'string' ? strToU8(content) : content,
        ]),
      ),
    ),
  );
const word = (body: string, more: Record<string, string | Uint8Array> = {}) =>
  packed({
    '[Content_Types].xml': contentTypes,
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'word/document.xml')),
    'word/document.xml': wordDocument(body),
    ...more,
  });

const convert = (file: Buffer) => convertDocx(Buffer.from(file.toString('base64')), 50);
const bodyOf = async (file: Buffer) => /<main[^>]*>([^]*)<\/main>/.exec((await convert(file)).html)?.[1] ?? '';
const apiErrorFieldsOf = async (data: Promise<unknown>) => {
  const error = await data.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error.fields;
  throw new Error('no ApiError was thrown', { cause: error });
};

describe('a Word document', () => {
  test('keeps headings, lists, tables, images, footnotes, links and text styles', async () => {
    const {
      html,
      classification: { scripts, external },
    } = await convert(readFileSync(new URL('../../../test/fixtures/documents/agreement.docx', import.meta.url)));
    expect({ scripts, external }).toEqual({ scripts: false, external: false });
    for (const kept of [
      '<title>Service agreement</title>',
      '<h1 class="title">Service agreement</h1>',
      '<h2>',
      '<li>The provider estimates it.<ol><li>in hours</li>',
      '<li>Updates of the platform<ul><li>security fixes at once</li>',
      '<thead><tr><th>',
      '<p class="end">420.00 €</p>',
      '<strong>booking platform</strong>',
      '<em>including</em>',
      '<u>interfaces</u>',
      '<s>excluding hosting</s>',
      '<sub>2</sub>',
      '<sup>2</sup>',
      'href="https://example.com/terms"',
      'id="footnote-ref-',
      '<p class="centre">',
      'src="data:image/png;base64,',
      '<img alt="The seal of both parties"',
      'style="width:180pt"',
      'Aarhus,<span class="tab">\t\t\t</span>Bremen,',
    ])
      expect(html.replaceAll(' dir="ltr"', '')).toContain(kept);
  });

  test('is read from base64 with a data: prefix and line breaks', async () => {
    const encoded = word(paragraph('Hello')).toString('base64').replace(/.{76}/g, '$&\r\n');
    const { html } = await convertDocx(Buffer.from(`data:application/octet-stream;base64,${encoded}`), 50);
    expect(html).toContain('Hello');
  });

  test.each(['0', 'false', 'off'])('has no header row that says it is none: %s', async (value) => {
    const rowOf = (text: string, properties: string) =>
      row(paragraph(text)).replace('<w:tr>', `<w:tr><w:trPr>${properties}</w:trPr>`);
    const body = await bodyOf(
      word(
        `<w:tbl>${rowOf('Name', '<w:tblHeader/>')}${rowOf('Value', `<w:tblHeader w:val="${value}"/><w:cantSplit/>`)}` +
          `${rowOf('Other', `<w:tblHeader w:val="${value}"></w:tblHeader>`)}</w:tbl>`,
      ),
    );
    expect(body).toContain('<thead><tr><th><p>Name</p></th></tr></thead><tbody><tr><td><p>Value</p></td></tr><tr><td>');
  });

  test('has a header row if the first row is completely bold', async () => {
    const body = await bodyOf(word(`<w:tbl>${row(paragraph('Name', '<w:b/>'))}${row(paragraph('Value'))}</w:tbl>`));
    expect(body).toContain('<thead><tr><th><p><strong>Name</strong></p></th></tr></thead>');
  });

  test('shows a labelled box for an image that browsers cannot show', async () => {
    const drawing =
      `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="1"/><wp:docPr id="1" name="x"/>` +
      `<a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic>` +
      `</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const body = await bodyOf(
      word(drawing, {
        'word/_rels/document.xml.rels': relations(relation('p1', 'image', 'media/a.emf')),
        'word/media/a.emf': 'x',
      }),
    );
    expect(body).toContain('src="data:image/svg+xml;base64,');
    expect(body).toContain('width:100pt');
  });

  test('has its page breaks', async () => {
    expect(await bodyOf(word('<w:p><w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r></w:p>'))).toContain(
      '<p>one<span class="page-break"></span>two</p>',
    );
  });

  describe('prints the text that Word prints:', () => {
    const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const instruction = (text: string) => `<w:r><w:instrText>${text}</w:instrText></w:r>`;
    const field = (inner: string, result: string) => mark('begin') + inner + mark('separate') + result + mark('end');
    const style = (id: string, content: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${content}</w:style>`;
    const hidden = '<w:vanish/>';
    const inParagraph = (id: string, content: string) => `<w:pPr><w:pStyle w:val="${id}"/></w:pPr>${content}`;
    const ruby = `<w:ruby><w:rt>${run('ruby')}</w:rt><w:rubyBase>${run('base')}</w:rubyBase></w:ruby>`;
    const simple = (text: string, result: string) => `<w:fldSimple w:instr=" ${text} ">${result}</w:fldSimple>`;
    const outerField = (inner: string, result: string) =>
      field(instruction('IF ') + inner + instruction('= "a"'), result);
    const picture = (text: string) =>
      `<w:r><w:drawing><wp:inline><wp:docPr id="1" descr="${text}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill>` +
      '<a:blip r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>';
    const salutation = field(instruction('IF ') + field(instruction('MERGEFIELD A'), run('F')), run('Ms'));

    test.each([
      ['no hidden text', run('secret', hidden) + run('public', '<w:vanish w:val="0"/>'), 'public'],
      ['no hidden image', `<w:r><w:rPr>${hidden}</w:rPr><w:pict><v:textbox>secret</v:textbox></w:pict></w:r>`, ''],
      ['text that was hidden', run('public', `<w:rPrChange><w:rPr>${hidden}</w:rPr></w:rPrChange>`), 'public'],
      ['text of a hidden mark', `<w:pPr><w:rPr>${hidden}</w:rPr></w:pPr>${run('public')}`, 'public'],
      ['no text of a hidden style', run('a', '<w:rStyle w:val="Derived"/>') + run('b'), 'b'],
      ['no text of a hidden paragraph', inParagraph('Hidden', run('a') + run('b', '<w:vanish w:val="false"/>')), 'b'],
      ['text of a style that is shown again', inParagraph('Shown', run('a')), 'a'],
      ['simple fields', run('Dear ') + simple('MERGEFIELD N', run('Anna')), 'Dear Anna'],
      ['text with a direction', `<w:dir w:val="rtl">${run('a')}<w:bdo w:val="ltr">${run('b')}</w:bdo></w:dir>`, 'ab'],
      ['the base of a phonetic guide', `<w:r>${ruby}</w:r>`, 'base'],
      ['no instruction of a field', `${salutation}${run(' Smith')}`, 'Ms Smith'],
      ['no result in an instruction', outerField(simple('MERGEFIELD A', run('F')), run('Ms')), 'Ms'],
      ['no value that is kept for other fields', field(instruction(' SET A 5 '), run('5')) + run(' b'), 'b'],
      ['no picture of another branch', outerField(picture('no'), picture('yes')), '[yes]'],
      ['no cell of another branch', outerField(`</w:p><w:tbl>${row(paragraph('no'))}</w:tbl><w:p>`, run('yes')), 'yes'],
      [
        'text after a field without an end',
        mark('begin') + instruction('PAGE') + run('a') + outerField('', run('b')),
        'ab',
      ],
      ['old line breaks', '<w:r><w:t>a</w:t><w:cr/><w:t>b</w:t></w:r>', 'a<br />b'],
    ])('%s', async (_, content, expected) => {
      const styles =
        style('Hidden', hidden) +
        style('Derived', '<w:basedOn w:val="Hidden"/>') +
        style('Shown', '<w:basedOn w:val="Hidden"/><w:vanish w:val="0"/>') +
        style('Loop', '<w:basedOn w:val="Loop"/>');
      const file = word(`<w:p>${content}</w:p>`, {
        'word/styles.xml': wordDocument('').replace(/<w:body>.*(?=<\/w:document>)/, () => styles),
        'word/_rels/document.xml.rels': relations(
          relation('s1', 'styles', 'styles.xml'),
          relation('p1', 'image', 'media/a.emf'),
        ),
        'word/media/a.emf': 'x',
      });
      const shown = (await bodyOf(file)).replace(/<img alt="(\w+)"[^>]*>/g, '[$1]');
      expect(shown.replace(/<(?!br)[^>]*>/g, '').trim()).toBe(expected);
    });

    // Searching again from each start would take hours.
    test.each([
      '<w:r>',
      '<w:p>',
      '<w:r><w:fldChar w:fldCharType="separate"/>',
      '<w:t ',
      '<w:r><w:rPr><w:vanish w:val="',
    ])('and reads %s once, however often it is there', (start) => {
      const part = start.repeat(100_000) + '<w:t>'.repeat(100_000);
      const parts = new Map([
        ['word/document.xml', Buffer.from(part)],
        ['word/styles.xml', Buffer.from(style('A', '<w:basedOn w:val="A"/>').repeat(20_000))],
      ]);
      showPrintedText(parts);
      expect(parts.get('word/document.xml')!.toString()).toBe(part);
    });

    test('also in footnotes', async () => {
      const note = `<w:footnote w:id="2"><w:p>${run('secret', hidden)}${run('public')}</w:p></w:footnote>`;
      const notes = `<w:footnotes xmlns:w="${wordNamespace}">${note}</w:footnotes>`;
      const file = word('<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>', {
        'word/footnotes.xml': notes,
        'word/_rels/document.xml.rels': relations(relation('f1', 'footnotes', 'footnotes.xml')),
      });
      const body = await bodyOf(file);
      expect([body.includes('public'), body.includes('secret')]).toEqual([true, false]);
    });
  });

  describe('is read in the same way if its XML has', () => {
    const styles = wordDocument('').replace(
      /<w:body>.*(?=<\/w:document>)/,
      '<w:style w:type="character" w:styleId="A"><w:vanish/></w:style>' +
        '<w:style w:type="character" w:styleId="B"><w:basedOn w:val="A"/></w:style>',
    );
    const run = (text: string, properties: string) => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const body =
      `<w:p>${run('shown', '<w:vanish w:val="0"/>')}${run('secret', '<w:rStyle w:val="B"/>')}` +
      `${mark('begin')}${run('instruction', '')}${mark('separate')}${run('result', '<w:color w:val="FF0000"/>')}` +
      `${mark('end')}<w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="1"/><wp:docPr id="1" descr="a &quot;b&quot;"/>` +
      `<a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></a:graphicData>` +
      `</a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const converted = (edit: (xml: string) => string | Uint8Array) =>
      convert(
        word('', {
          'word/document.xml': edit(wordDocument(body)),
          'word/styles.xml': edit(styles),
          'word/_rels/document.xml.rels': relations(
            relation('p1', 'image', 'media/a.emf'),
            relation('s1', 'styles', 'styles.xml'),
          ),
          'word/media/a.emf': 'x',
        }),
      );

    test.each<[string, (xml: string) => string | Uint8Array]>([
      ['single quotes', (xml) => xml.replace(/"([^"]*)"/g, "'$1'").replaceAll('&quot;', '"')],
      ['spaces around =', (xml) => xml.replace(/="/g, ' =\n"')],
      ['CDATA', (xml) => xml.replace(/(<w:t>)([^<]*)/g, '$1<![CDATA[$2]]>')],
      ['comments', (xml) => xml.replaceAll('<w:rPr>', '<w:rPr><!-- <w:vanish/> -->')],
      ['> in attributes', (xml) => xml.replace(/<(w:vanish|w:color|wp:docPr) /g, '<$1 title="a>b" ')],
      ['UTF-16', (xml) => Buffer.from(`\uFEFF${xml}`, 'utf16le')],
    ])('%s', async (_, edit) => {
      const expected = await converted((xml) => xml);
      expect(expected.html).toMatch(/shown.*result.*<img alt="a &quot;b&quot;"[^>]*width:100pt/);
      expect(expected.html).not.toMatch(/secret|instruction/);
      expect(await converted(edit)).toEqual(expected);
    });
  });

  test('with a javascript: link is a document with scripts', async () => {
    const link = '<w:p><w:hyperlink r:id="l1"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>';
    const prepared = await convert(
      word(link, { 'word/_rels/document.xml.rels': relations(relation('l1', 'hyperlink', 'javascript:alert(1)')) }),
    );
    expect(prepared.classification.scripts).toBe(true);
  });
});

describe('invalid_docx', () => {
  const real = word(paragraph('Hello, this is text'));
  const damaged = Buffer.from(real);
  damaged.fill(0xff, 60, 90);
  const encrypted = Buffer.from(real);
  const central = encrypted.indexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
  encrypted.writeUInt16LE(encrypted.readUInt16LE(central + 8) | 1, central + 8);

  test.each<[string, Buffer, unknown]>([
    ['data that is not base64', Buffer.from('this is not base64!'), 'invalid base64'],
    ['empty data', Buffer.from(''), 'empty file'],
    ['a text file', Buffer.from(Buffer.from('Hello').toString('base64')), 'not a zip archive'],
    [
      'a protected or old file',
      Buffer.from(Buffer.from('d0cf11e0a1b11ae1000000', 'hex').toString('base64')),
      'encrypted, or DOC instead of DOCX',
    ],
    ['an encrypted zip', Buffer.from(encrypted.toString('base64')), 'encrypted'],
    [
      'a zip of something else',
      Buffer.from(packed({ 'a.txt': 'x' }).toString('base64')),
      'not DOCX: a zip archive of something else',
    ],
    [
      'an Excel workbook',
      Buffer.from(packed({ '[Content_Types].xml': 'x', 'xl/workbook.xml': 'x' }).toString('base64')),
      'not DOCX: an Excel workbook',
    ],
    ['a truncated file', Buffer.from(real.subarray(0, real.length / 2).toString('base64')), 'damaged zip archive'],
    ['a file with damaged bytes', Buffer.from(damaged.toString('base64')), 'damaged zip archive'],
    [
      'parts that do not belong together',
      Buffer.from(packed({ '[Content_Types].xml': contentTypes, 'word/other.xml': '<x/>' }).toString('base64')),
      'damaged document parts',
    ],
  ])('is the error for %s', async (_, data, details) => {
    expect(await apiErrorFieldsOf(convertDocx(data, 50))).toMatchObject({ name: 'invalid_docx', extra: { details } });
  });

  test('is the error for an archive whose declared sizes are over the limit', async () => {
    const bomb = word('', { 'word/other.xml': new Uint8Array(archiveLimits.xml) });
    expect(bomb.length).toBeLessThan(100_000);
    expect(await apiErrorFieldsOf(convert(bomb))).toMatchObject({
      name: 'invalid_docx',
      extra: { details: { limit: archiveLimits.xml } },
    });
  });

  test('is the error for an archive that is packed too tightly', async () => {
    const bomb = word('', { 'word/media/a.png': new Uint8Array(8_000_000) });
    expect(await apiErrorFieldsOf(convert(bomb))).toMatchObject({
      extra: { details: { reason: 'too large for its packed size' } },
    });
  });

  test('is the error for an archive with two files of one name', async () => {
    const repeated = word('', { 'word/a.xml': '<a/>', 'word/A.xml': '<b/>' });
    expect(await apiErrorFieldsOf(convert(repeated))).toMatchObject({ extra: { details: 'repeated file names' } });
  });

  test('is the error for an archive whose images are declared over the limit', async () => {
    const bomb = word('', { 'word/media/a.png': 'x' });
    bomb.writeUInt32LE(archiveLimits.total, bomb.lastIndexOf('word/media/a.png') - 46 + 24);
    expect(await apiErrorFieldsOf(convert(bomb))).toMatchObject({
      name: 'invalid_docx',
      extra: { details: { limit: archiveLimits.total } },
    });
  });

  test('is the error for an archive with too many files', async () => {
    const manyEntries = Object.fromEntries(
      Array.from({ length: archiveLimits.files }, (_, index) => [`x/${index}`, '']),
    );
    expect(await apiErrorFieldsOf(convert(word('', manyEntries)))).toMatchObject({
      name: 'invalid_docx',
      extra: { details: { limit: archiveLimits.files } },
    });
  });

  test('is the error for an archive that is larger than it declares', async () => {
    const bomb = word('', { 'word/other.xml': new Uint8Array(5_000_000) });
    for (const size of [bomb.indexOf(u32(5_000_000)), bomb.lastIndexOf(u32(5_000_000))])
      if (size >= 0) bomb.writeUInt32LE(100, size);
    expect(await apiErrorFieldsOf(convert(bomb))).toMatchObject({
      name: 'invalid_docx',
      extra: { details: 'damaged zip archive' },
    });
  });
});

const u32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
};
