import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PDFDocument } from '@cantoo/pdf-lib';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkWithQpdf, isQpdfAvailable } from '../support/documents/qpdf.ts';
import { readAttachments } from '../support/documents/read-attachments.ts';
import { readPdf } from '../support/documents/read-pdf.ts';
import { sampleInvoice } from '../support/documents/sample-invoices.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { runColophon, startColophon } from '../support/service/colophon-process.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { runRenderCommand } from '../support/service/render-command.ts';
import { waitUntil } from '../support/wait-until.ts';

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const shared = sharedService();
let folder: string;
let key: string;
beforeAll(async () => {
  key = await createUnlimitedKey(shared.installation);
  folder = await mkdtemp(join(tmpdir(), 'colophon-local-'));
  // Browsers run as another user.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);
const write = (name: string, content: string | Uint8Array) => writeFile(at(name), content);
/** Its temporary files are in the folder of this test, so that a leftover is noticed. */
const env = () => ({ TMPDIR: folder });

const run = (...args: string[]) => runRenderCommand({ url: shared.service.url, key }, args);
const render = (...args: string[]) => run('render', ...args);
const textOf = async (file: string): Promise<string> =>
  (await readPdf((await readFile(file)).toString('base64'))).map(({ text }) => text).join('\n');

describe('"colophon render"', () => {
  it('makes a PDF of a document with the images and styles beside it, and leaves no other files', async () => {
    await write('logo.png', pixel);
    await write('style.css', 'body { background: url(logo.png) }');
    await write('page.html', '<link rel="stylesheet" href="style.css"><h1>Offer</h1><img src="logo.png">');
    const args = ['render', at('page.html'), '-o', at('page.pdf'), '--option', 'page_size=A5'];
    const { code, stdout, stderr } = await runColophon(args, env());
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/page\.pdf: 1 page, [\d.]+ KB, \d+ ms/);
    const [page] = await readPdf((await readFile(at('page.pdf'))).toString('base64'));
    expect(page).toMatchObject({ text: expect.stringContaining('Offer') });
    expect((await readdir(folder)).toSorted()).toEqual(['logo.png', 'page.html', 'page.pdf', 'style.css']);
  });

  it('lays office documents out with the LibreOffice of the setting, and with none says so', async () => {
    await write('list.rtf', '{\\rtf1 text}');
    const args = ['render', at('list.rtf'), '-o', at('list.pdf')];
    const { code, stderr } = await runColophon(args, { ...env(), LIBREOFFICE_FOLDER: 'none' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('LIBREOFFICE_FOLDER=none')]);
    await rm(at('list.rtf'));
  });

  it('makes images if the file name has the extension of an image, and a thumbnail beside a PDF', async () => {
    await write('two.html', '<p>one<p style="break-before:page">two');
    const images = await render(at('two.html'), '-o', at('two.png'), '--option', 'dpi=36');
    expect([images.code, images.stderr]).toEqual([0, '']);
    expect(images.stdout).toMatch(/two\.zip: 2 images/);
    expect(Object.keys(unzipSync(await readFile(at('two.zip'))))).toEqual(['page-001.png', 'page-002.png']);
    const one = await render(at('two.html'), '-o', at('one.jpg'), '--option', 'page_ranges=2', '--option', 'dpi=36');
    expect(one.stdout).toMatch(/one\.jpg: 1 image,/);
    expect((await readFile(at('one.jpg'))).subarray(0, 3).toString('hex')).toBe('ffd8ff');
    await render(at('two.html'), '-o', at('beside.pdf'), '--option', 'thumbnail=true');
    expect((await readFile(at('beside.png'))).subarray(1, 4).toString()).toBe('PNG');
    const wrong = await render(at('two.html'), '-o', at('two.png'), '--option', 'output=pdf');
    expect(wrong.stderr).toContain('output="pdf" does not fit the name');
    for (const name of ['two.zip', 'one.jpg', 'beside.pdf', 'beside.png']) await rm(at(name));
  });

  it('makes a PDF of a template with data and an image beside it', async () => {
    await write('logo.png', pixel);
    await write('hello.html', '<p><img src="logo.png">Hello {{name}} {{number}}</p>');
    await write('data.json', '{"name": "Ines", "number": 12345678901234567890}');
    expect((await render(at('hello.html'), '--data', at('data.json'), '-o', at('hello.pdf'))).code).toBe(0);
    expect(await textOf(at('hello.pdf'))).toContain('Hello Ines 12345678901234567890');
  });

  it('makes a PDF of the folder of a template with its sample data', async () => {
    const invoice = fileURLToPath(new URL('../../templates/invoice', import.meta.url));
    const { code, stdout } = await run('--json', 'render', invoice, '-o', at('invoice.pdf'));
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ file: at('invoice.pdf'), pages: 1 })]);
  });

  it('says to render the folder if a template without its labels cannot be rendered', async () => {
    const invoice = fileURLToPath(new URL('../../templates/invoice', import.meta.url));
    const [content, data] = ['template.html', 'sample.json'].map((name) => join(invoice, name)) as [string, string];
    const { code, stderr } = await render(content, '--data', data, '-o', at('never.pdf'));
    expect([code, stderr]).toEqual([2, expect.stringContaining(`Render the folder: colophon render ${invoice}`)]);
  });

  it('composes the files and templates that a JSON file names', async () => {
    await mkdir(at('cover'));
    await write('cover/template.html', '<h1>Offer {{number}}</h1>');
    await write('cover/template.json', '{"name": "Cover"}');
    await write('chapter.md', '# Chapter\n');
    const parts = [
      { template: 'cover', data: { number: 7 }, cover: true },
      { file: 'chapter.md' },
      { file: 'old.pdf' },
    ];
    await write('parts.json', JSON.stringify({ parts, contents: true }).replace('7', '12345678901234567890'));
    const existing = await PDFDocument.create();
    existing.addPage([200, 200]);
    await write('old.pdf', await existing.save());
    const before = (await readdir(folder)).length;
    const { code, stdout, stderr } = await render(at('parts.json'), '--compose', '-o', at('all.pdf'));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/all\.pdf: 4 pages,/);
    expect(await textOf(at('all.pdf'))).toMatch(/Offer 12345678901234567890[^]*Contents[^]*Chapter[^]*Chapter/);
    expect((await readdir(folder)).length).toBe(before + 1);
    await write('parts.json', JSON.stringify([{ file: 'none.md' }]));
    expect((await render(at('parts.json'), '--compose', '-o', at('never.pdf'))).stderr).toMatch(/none\.md/);
    const { stderr: wrong } = await render(at('old.pdf'), '-o', at('never.pdf'), '--options', at('parts.json'));
    expect(wrong).toMatch(/parts\.json must be a JSON object/);
  });

  it('gives a PDF what its options say', async () => {
    await write('report.md', '# Measurements\n');
    await write('values.csv', 'a,b\n1,2\n');
    await write(
      'more.json',
      '{"attachments": [{"name": "values.csv", "relationship": "Data"}], "watermark": {"color": "#cc0000"}}',
    );
    await write('factur-x.xml', sampleInvoice('en16931'));
    const { code, stderr } = await render(
      ...[at('report.md'), '-o', at('report.pdf'), '--options', at('more.json'), '--attach', at('values.csv')],
      ...['--factur-x', at('factur-x.xml'), '--conformance', 'pdf/a-3b,pdf/ua-1', '--watermark', 'DRAFT'],
      ...[
        '--metadata',
        'author=Ines Prado',
        '--metadata',
        'CaseNumber=2026-118',
        '--page-numbers',
        '{page} of {total}',
      ],
      ...['--option', 'metadata={"title": "Values", "author": "x"}'],
    );
    expect([code, stderr]).toEqual([0, '']);
    const pdf = await readFile(at('report.pdf'));
    const attached = await readAttachments(pdf);
    expect(attached.map(({ name, mimeType, relationship }) => [name, mimeType, relationship])).toEqual([
      ['factur-x.xml', 'text/xml', expect.any(String)],
      ['values.csv', 'text/csv', 'Data'],
    ]);
    expect(await textOf(at('report.pdf'))).toMatch(/DRAFT[^]*1 of 1/);
    const read = await PDFDocument.load(pdf);
    expect([read.getTitle(), read.getAuthor()]).toEqual(['Values', 'Ines Prado']);
    expect(pdf.toString('latin1')).toContain('<pdfaid:part>3<');
  });

  it('encrypts with the passwords of a file', async () => {
    await write('secret.md', '# Secret\n');
    await write('passwords.txt', 'tulip 7261\r\norchid 4482\r\n');
    const { code, stderr } = await render(at('secret.md'), '-o', at('secret.pdf'), '--encrypt', at('passwords.txt'));
    expect([code, stderr]).toEqual([0, '']);
    const pdf = await readFile(at('secret.pdf'));
    expect(pdf.toString('latin1')).toContain('/Encrypt');
    if (isQpdfAvailable)
      for (const [password, isGood] of [
        ['tulip 7261', true],
        ['orchid 4482', true],
        ['tulip', false],
      ] as const)
        expect((await checkWithQpdf(pdf, password)).isGood).toBe(isGood);
  });

  it('makes one PDF of several files and templates, with what they refer to', async () => {
    await mkdir(at('title'));
    await write('title/template.html', '<h1>Offer {{number}}</h1>');
    await write('title/template.json', '{"name": "Title"}');
    await write('title/sample.json', '{"number": 12}');
    await write('dot.png', pixel);
    await write('text.html', '<h1>Text</h1><img src="dot.png">');
    const existing = await PDFDocument.create();
    existing.addPage([200, 200]);
    await write('terms.pdf', await existing.save());
    const files = [at('title'), at('text.html'), at('terms.pdf')];
    const { code, stdout, stderr } = await render(...files, '-o', at('offer.pdf'), '--contents');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/offer\.pdf: 4 pages,/);
    expect(await textOf(at('offer.pdf'))).toMatch(/Contents[^]*Offer 12[^]*Text/);
    await write('bad.md', '```\nnever closed\n');
    const wrong = await render(at('text.html'), at('bad.md'), '-o', at('never.pdf'));
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/line 1/)]);
  });

  it('ends with the message and the exit code of a mistake, and without a stack', async () => {
    const { code, stdout, stderr } = await runColophon(['render', at('missing.md'), '-o', at('never.pdf')], env());
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^There is no file .*missing\.md[^\n]*\n$/);
  });

  it('without a browser says why on standard error, because standard output is for the document', async () => {
    await write('page.html', '<p>');
    const variables = { ...env(), PUPPETEER_EXECUTABLE_PATH: '/bin/false' };
    const { code, stdout, stderr } = await runColophon(['render', at('page.html'), '-o', '-'], variables);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/"msg":"\/bin\/false did not start as a browser[^]*The log above says why/);
  });

  it.each<[string, Record<string, string>, (folder: typeof at) => string[], RegExp]>([
    ['a missing file', {}, (file) => [file('missing.md')], /There is no file .*missing\.md/],
    ['a missing file of the current folder', {}, () => ['missing.md'], /There is no file \/.+\/missing\.md/],
    [
      'an option without a value',
      { 'a.html': '<p>' },
      (file) => [file('a.html'), '--option', 'page_size'],
      /name=value/,
    ],
    [
      'a missing attachment',
      { 'a.html': '<p>' },
      (file) => [file('a.html'), '--attach', file('no.csv')],
      /no file .*no\.csv/,
    ],
    [
      'a profile without an invoice',
      { 'a.html': '<p>' },
      (file) => [file('a.html'), '--profile', 'basic'],
      /--factur-x/,
    ],
    [
      'metadata without a value',
      { 'a.html': '<p>' },
      (file) => [file('a.html'), '--metadata', 'title='],
      /--metadata title= has no value/,
    ],
    [
      'a file without passwords',
      { 'a.html': '<p>', 'empty.txt': '\n' },
      (file) => [file('a.html'), '--encrypt', file('empty.txt')],
      /empty\.txt has no password/,
    ],
    [
      'two watermarks',
      { 'a.html': '<p>' },
      (file) => [file('a.html'), '--watermark', 'x', '--watermark-image', file('a.html')],
      /exclude each other/,
    ],
    [
      'an unknown type',
      { notes: '# A' },
      (file) => [file('notes')],
      /type of .*notes is unknown\. Name it with --input-type: html/,
    ],
    ['a PDF', { 'ready.pdf': '%PDF-1.4' }, (file) => [file('ready.pdf')], /ready\.pdf is a PDF already/],
    ['contents of one document', { 'a.html': '<p>' }, (file) => [file('a.html'), '--contents'], /--contents needs/],
    ['several files with data', { 'a.html': '<p>' }, (file) => [file('a.html'), '-', '--data', 'x'], /Several files/],
    ['a text of unknown type', {}, () => ['-'], /--input-type/],
    [
      'an unknown option',
      { 'b.html': '<p>' },
      (file) => [file('b.html'), '--option', 'landscape=true'],
      /landscape.*orientation/,
    ],
    [
      'a template with a mistake',
      { 'c.html': '<p>{{#if x}}</p>', 'c.json': '{}' },
      (file) => [file('c.html'), '--data', file('c.json')],
      /c\.html, line 1: The block/,
    ],
    [
      'missing values, all of them',
      { 'd.html': '<p>Hello {{name}} from {{place}}</p>', 'd.json': '{}' },
      (file) => [file('d.html'), '--data', file('d.json')],
      /"name".*\n.*"place"/,
    ],
  ])('names %s, and writes nothing', async (_, files, args, message) => {
    for (const [name, content] of Object.entries(files)) await write(name, content);
    const { code, stdout, stderr } = await render(...args(at), '-o', at('never.pdf'));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(await readdir(folder)).not.toContain('never.pdf');
  });

  it('names every violation of a standard, and with --json prints the error of the API', async () => {
    await write('bad.html', `<h1>x</h1><img src="data:image/png;base64,${pixel.toString('base64')}">`);
    const args = ['render', at('bad.html'), '--conformance', 'pdf/ua-1'];
    const { code, stdout, stderr } = await run('--json', ...args, '-o', at('never.pdf'));
    const error = JSON.parse(stdout) as { violations: { standard: string; element: string; message: string }[] };
    expect([code, error]).toEqual([2, expect.objectContaining({ error: 'conformance_not_met', total_violations: 3 })]);
    const lines = error.violations.map(({ standard, element, message }) => `  ${element}: ${message} (${standard})`);
    expect(stderr.split('\n')).toEqual([expect.stringContaining('cannot conform yet'), '3 violations:', ...lines]);
    const piped = await run('--json', ...args, '-o', '-');
    expect([piped.stdout, piped.stderr]).toEqual(['', stderr]);
  });

  it('names every violation in the XML of an invoice', async () => {
    await write('plain.html', '<h1>Invoice</h1>');
    const wrong = sampleInvoice('en16931').replaceAll('</ram:ID>', '</ram:ID><ram:Unknown/>');
    await write('wrong.xml', wrong);
    const { code, stderr } = await render(at('plain.html'), '--factur-x', at('wrong.xml'), '-o', at('never.pdf'));
    const [, title = '', ...violations] = stderr.split('\n');
    expect([code, Number.parseInt(title, 10)]).toEqual([2, violations.length]);
    expect(violations.length).toBeGreaterThan(1);
    for (const violation of violations) expect(violation).toMatch(/^  line \d+, \w+: /);
  });

  it('never overwrites a file that it reads, and makes no file of another kind', async () => {
    const expectRefusal = async (message: RegExp, ...args: string[]) => {
      const { code, stdout, stderr } = await render(...args);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    };
    await mkdir(at('own'));
    const own = '<img src="own.png"><p>Own';
    await write('own/own.html', own);
    await write('own/own.png', pixel);
    await expectRefusal(/PDF or images.*\.pdf/, at('own/own.html'), '-o', at('own/own.html'));
    await expectRefusal(/PDF or images.*\.pdf/, at('own/own.html'), '-o', at('own/own.docx'));
    await write('own/plain', '# Own');
    await expectRefusal(
      /one of the files that the command reads/,
      at('own/plain'),
      '--input-type',
      'markdown',
      '-o',
      at('own/plain'),
    );
    // The image of the document is known when the document was read.
    await expectRefusal(
      /own\.png is one of the files that the command reads/,
      at('own/own.html'),
      '-o',
      at('own/own.png'),
    );
    const thumbnail = ['-o', at('own/own.pdf'), '--option', 'thumbnail=true'];
    await expectRefusal(/own\.png is one of the files that the command reads/, at('own/own.html'), ...thumbnail);
    await symlink('own.png', at('own/l.png'));
    await expectRefusal(/l\.png is the same file as .*own\.png/, at('own/own.html'), '-o', at('own/l.png'));
    await link(at('own/own.html'), at('own/hard.pdf'));
    await expectRefusal(/hard\.pdf is the same file as .*own\.html/, at('own/own.html'), '-o', at('own/hard.pdf'));
    const all = ['hard.pdf', 'l.png', 'own.html', 'own.png', 'plain'];
    expect((await readdir(at('own'))).toSorted()).toEqual(all);
    expect(await readFile(at('own/own.html'), 'utf8')).toBe(own);
    expect(await readFile(at('own/own.png'))).toEqual(pixel);
  });

  it('with --watch renders again after each change, also after a mistake, until it is stopped', async () => {
    await write('draft.md', '# First\n');
    const { child, output, exited } = startColophon(
      ['render', at('draft.md'), '-o', at('draft.pdf'), '--watch'],
      env(),
    );
    const shows = (text: string) =>
      waitUntil(`the PDF shows ${text}`, async () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${output.stdout}${output.stderr}`);
        const isWritten = (await readdir(folder)).includes('draft.pdf');
        return isWritten && (await textOf(at('draft.pdf')).catch(() => '')).includes(text);
      });
    await shows('First');
    expect(output.stderr).toContain('Ctrl+C ends it');
    await write('draft.md', '# Second\n');
    await shows('Second');
    await write('draft.md', '```\nnever closed\n');
    await waitUntil('the mistake is named', () => /line 1/.test(output.stderr));
    await write('draft.md', '# Third\n');
    await shows('Third');
    child.kill('SIGINT');
    expect((await exited).code).toBe(0);
  });

  it('ends without an error when it is stopped before its request is sent, unless the document is for once', async () => {
    await write('late.html', '<p>');
    const stopped = { url: 'http://127.0.0.1:1', key: '', stopping: AbortSignal.abort(), ended: Promise.resolve() };
    const args = ['render', at('late.html'), '-o', at('late.pdf')];
    expect(await runRenderCommand(stopped, [...args, '--watch'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Renders again[^\n]*\n$/),
    });
    const stderr = 'The command was stopped before the document was rendered.';
    expect(await runRenderCommand(stopped, args)).toMatchObject({ code: 2, stderr });
  });

  it('leaves no document behind when its terminal is closed', async () => {
    await write('open.html', '<p>');
    const { child, output, exited } = startColophon(['render', at('open.html'), '--watch', '-o', '/dev/null'], env());
    await waitUntil('it watches', () => output.stderr.includes('Ctrl+C ends it'));
    // The terminal and the shell may both send it.
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    expect((await exited).code).toBe(0);
    expect((await readdir(folder)).filter((name) => name.startsWith('colophon-'))).toEqual([]);
  });
});
