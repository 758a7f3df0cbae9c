import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import type { OfficeRequest } from '../port.ts';
import { buildXlsx } from '../../../test/support/documents/build-xlsx.ts';
import { linkedSection } from '../../../test/fixtures/documents/hostile-documents.ts';
import { readPdf } from '../../../test/support/documents/read-pdf.ts';
import { descendantsOf } from '../../../test/support/processes/process-tree.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { findLibreOffice, type Installation } from './find.ts';
import { openOffice } from './office.ts';
import { profileSettings } from './profile.ts';

const folder = process.env['LIBREOFFICE_FOLDER'];
const isInstalled = !('missing' in findLibreOffice(folder));
const logger = { info: () => undefined, warn: () => undefined };
const tuning = { documentsPerProcess: 2, startTimeoutMs: 120_000, slowAfterMs: 600_000 };

const rtf = (content: string): OfficeRequest => ({
  file: Buffer.from(`{\\rtf1\\ansi ${content}\\par}`),
  title: 'document',
  format: 'rtf',
  group: 'a',
  isolated: false,
  tagged: false,
  outline: false,
  requestedAt: new Date('2026-01-02T03:04:05Z'),
  limits: { processingMs: 120_000, waitTimeoutMs: 120_000 },
});

// As long as the documents may take together.
const options = { timeout: 300_000 };

describe.skipIf(!isInstalled)('LibreOffice', options, () => {
  const office = openOffice({ folder, memoryMb: 1024, logger, tuning: { ...tuning, documentsPerProcess: 100 } });
  afterAll(() => office.close());

  it('gives the same bytes in every process, whatever it printed before, and is replaced after some documents', async () => {
    const office = openOffice({ folder, memoryMb: 1024, logger, tuning });
    onTestFinished(() => office.close());
    // A font that LibreOffice makes a Type 1 font of.
    const document = (content: string) => rtf(`{\\fonttbl{\\f0 TeX Gyre Pagella;}}${content} \\f0 ${content}`);
    const pdfs: Buffer[] = [];
    for (const content of ['Two', 'One', 'One', 'One']) pdfs.push((await office.convert(document(content))).pdf);
    const isolated = await office.convert({ ...document('One'), isolated: true });
    expect(isolated.pdf.toString('latin1')).toContain('/Subtype/Type1/BaseFont/CAAAAA+TeXGyrePagella');
    expect(pdfs.map((pdf) => pdf.equals(isolated.pdf))).toEqual([false, true, true, true]);
    expect(office.health()).toMatchObject({ starts: 3, crashes: 0, documents: 5 });
  });

  it('prints a document again whose process was killed, even if it was the first one of the process', async () => {
    const office = openOffice({ folder, memoryMb: 1024, logger, tuning });
    const before = new Set(descendantsOf(process.pid).map(({ pid }) => pid));
    const converted = office.convert({ ...rtf('Text.\\par '.repeat(20_000)), isolated: true });
    await waitUntil('the document is being printed', () => office.health().documents === 1);
    for (const { pid, command } of descendantsOf(process.pid))
      if (!before.has(pid) && command.includes('convert.py')) process.kill(pid, 'SIGKILL');
    expect((await converted).pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(office.health()).toMatchObject({ crashes: 1, documents: 2 });
    await office.close();
  });

  it('stops the clock for workbooks, and does not test its graphics at each start', async () => {
    const office = openOffice({ folder, memoryMb: 1024, logger, tuning: { ...tuning, documentsPerProcess: 3 } });
    onTestFinished(() => office.close());
    const before = new Set(descendantsOf(process.pid).map(({ pid }) => pid));
    const file = buildXlsx([['=TEXT(NOW(),&quot;yyyy-mm-dd hh:mm:ss&quot;)']]);
    const convert = async () => (await office.convert({ ...rtf(''), format: 'xlsx', file })).pdf;
    const [pdf, again] = [await convert(), await convert()];
    expect(again.equals(pdf)).toBe(true);
    expect((await readPdf(pdf.toString('base64')))[0]!.text).toContain('2026-01-02 03:04:05');
    const own = descendantsOf(process.pid).filter(({ pid }) => !before.has(pid));
    const folders = new Set(own.flatMap(({ command }) => command.match(/[^\0\s]*colophon-office-\w+/)?.[0] ?? []));
    const profiles = [...folders].flatMap((folder) => globSync(join(folder, '*/user')));
    const results = profiles.flatMap((profile) => globSync(join(profile, 'GraphicsRenderTests.log')));
    expect([profiles.length, results]).toEqual([2, []]);
  });

  it('prints a workbook at its first start with a new profile', async () => {
    const own = await mkdtemp(join(tmpdir(), 'colophon-first-start-'));
    onTestFinished(() => rm(own, { recursive: true }));
    await mkdir(join(own, 'profile', 'user'), { recursive: true });
    await writeFile(join(own, 'profile', 'user', 'registrymodifications.xcu'), profileSettings);
    await writeFile(join(own, 'one.xlsx'), buildXlsx([['One']]));
    const { program, python } = findLibreOffice(folder) as Installation;
    // Without the second start that LibreOffice may ask for.
    const script = [
      'import command_line, sys',
      'command_line.NEEDS_RESTART = None',
      'program, folder = sys.argv[1:]',
      'command_line.prepare_profile(folder, program)',
      "print(command_line.convert_alone(program, folder, folder + '/one.xlsx', folder + '/one.pdf', {}, 0))",
    ].join('\n');
    const { stdout } = await promisify(execFile)(python, ['-B', '-c', script, program, own], {
      cwd: import.meta.dirname,
    });
    expect(stdout.trim()).toBe('True');
  });

  it('is ended by a document that takes too long, and prints the next one', async () => {
    const error: unknown = await office
      .convert({ ...rtf('One\\par '.repeat(100_000)), limits: { processingMs: 200, waitTimeoutMs: 120_000 } })
      .catch((thrown: unknown) => thrown);
    expect((error as ApiError).fields).toMatchObject({ name: 'processing_timeout', extra: { timeout_seconds: 0.2 } });
    expect((await office.convert(rtf('One'))).pdf.length).toBeGreaterThan(1000);
  });

  it('reports a file that it cannot read', async () => {
    const error: unknown = await office
      .convert({ ...rtf(''), format: 'docx', file: Buffer.from('PK\u0003\u0004 broken') })
      .catch((thrown: unknown) => thrown);
    expect((error as ApiError).fields).toMatchObject({ name: 'invalid_docx' });
  });

  it('reaches neither a server nor a file of the machine, even if a document names them', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const field = (target: string): string => `{\\field{\\*\\fldinst INCLUDEPICTURE "${target}" \\\\d}{\\fldrslt }}`;
    await office.convert(rtf(field(`http://127.0.0.1:${port}/a.png`)));
    expect(connections).toBe(0);
    const included = (url: string): OfficeRequest => rtf(`{\\field{\\*\\fldinst INCLUDETEXT "${url}"}{\\fldrslt }}`);
    const textsOf = async (url: string): Promise<string> => {
      const { inputType, file } = linkedSection(url);
      const section = { ...rtf(''), format: inputType as OfficeRequest['format'], file };
      const pdfs = [await office.convert(included(url)), await office.convert(section)];
      const pages = await Promise.all(pdfs.map(({ pdf }) => readPdf(pdf.toString('base64'))));
      return pages.flatMap((ofOne) => ofOne.map(({ text }) => text)).join(' ');
    };
    expect(await textsOf('file:///etc/passwd')).not.toContain('root:');
    expect(await textsOf('file:///proc/self/environ')).not.toContain('PATH=');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe.skipIf(!isInstalled)('While a document is slow', options, () => {
  it('a process starts before the next document needs it', async () => {
    const office = openOffice({ folder, memoryMb: 1024, logger, tuning: { ...tuning, slowAfterMs: 0 } });
    const slow = office.convert(rtf('One\\par '.repeat(2_000)));
    await waitUntil('a second process', () => office.health().processes === 2);
    expect(office.health()).toMatchObject({ starts: 2, documents: 1 });
    await slow;
    await office.convert({ ...rtf('Two'), group: 'b' });
    expect(office.health()).toMatchObject({ starts: 2, documents: 2 });
    await office.close();
  });
});

describe.skipIf(!isInstalled)('A process that is isolated', () => {
  it('may read what LibreOffice consists of, and nothing else', async () => {
    const expected = {
      '/etc/passwd': 'denied',
      '/proc/self/environ': 'denied',
      '/proc/1/environ': 'denied',
      '/var/lib/dpkg/status': 'denied',
      '/usr/share': 'allowed',
      '/dev/urandom': 'allowed',
    };
    const own = await mkdtemp(join(tmpdir(), 'colophon-isolated-'));
    const script = [
      'import json, os, sys',
      'from isolation import isolate',
      "restricted = isolate(sys.argv[1], '/usr/lib/libreoffice/program', 512, 16)['files']",
      'open(sys.argv[1] + "/own", "w").write("own")',
      'def find(path):',
      '  try: os.close(os.open(path, os.O_RDONLY)); return "allowed"',
      '  except OSError: return "denied"',
      'print(json.dumps({ path: find(path) for path in sys.argv[2:] } if restricted else "unrestricted"))',
    ].join('\n');
    const result = await promisify(execFile)('python3', ['-c', script, own, ...Object.keys(expected)], {
      cwd: import.meta.dirname,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    await rm(own, { recursive: true });
    const found: unknown = JSON.parse(result.stdout);
    expect(found).toEqual(found === 'unrestricted' ? found : expected);
  });
});

describe('Without LibreOffice', () => {
  it('says why, and refuses documents', async () => {
    const office = openOffice({ folder: 'none', memoryMb: 1024, logger });
    expect(office.missing()).toContain('LIBREOFFICE_FOLDER');
    await expect(office.convert(rtf('x'))).rejects.toBeInstanceOf(ApiError);
    await office.close();
  });
  it('names the folder of the setting if LibreOffice is not in it, also as a warning at the start', async () => {
    const missing = 'LIBREOFFICE_FOLDER is /nowhere, and there is no LibreOffice in this folder.';
    const warn = vi.fn<typeof logger.warn>();
    const office = openOffice({ folder: '/nowhere', memoryMb: 1024, logger: { ...logger, warn } });
    expect(office.missing()).toBe(missing);
    expect(warn).toHaveBeenCalledExactlyOnceWith({ setting: 'LIBREOFFICE_FOLDER' }, missing);
    await office.close();
  });
});
