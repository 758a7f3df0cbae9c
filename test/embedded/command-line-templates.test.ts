import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestInstallation, type TestInstallation } from '../support/service/installation.ts';
import { openAccount } from '../support/service/accounts.ts';

const examplesFolder = fileURLToPath(new URL('../../templates', import.meta.url));
let installation: TestInstallation;
let folder: string;
beforeAll(async () => {
  installation = await openTestInstallation();
  folder = await mkdtemp(join(tmpdir(), 'colophon-templates-'));
  await openAccount(installation, '--name', 'shop', '--plan', 'pro');
});
afterAll(async () => {
  await installation.remove();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => installation.runCommand('template', ...args);
const runJson = <T>(...args: string[]) => installation.runJsonCommand<T>('template', ...args);
const invoiceFolder = () => join(folder, 'invoice');

type Row = { id: string; name: string; version: number; result?: string; changed?: string[]; folder?: string };

describe('The templates of an account', () => {
  it('are created from files, once', async () => {
    const created = await runJson<Row[]>('push', examplesFolder);
    expect(created.map(({ name, version, result }) => [name, version, result]).toSorted()).toEqual(
      ['Certificate', 'Contract', 'E-invoice', 'Invoice', 'Letter', 'Receipt', 'Report'].map((name) => [
        name,
        1,
        'created',
      ]),
    );
    const again = await runJson<Row[]>('push', examplesFolder);
    expect(new Set(again.map(({ version, result }) => `${version} ${result}`))).toEqual(new Set(['1 unchanged']));
    expect((await runJson<Row[]>('list')).map(({ id }) => id).toSorted()).toEqual(
      created.map(({ id }) => id).toSorted(),
    );
  });

  it('are written to files, which do not differ', async () => {
    const written = await runJson<Row[]>('pull', '--dir', folder, '--account', 'shop');
    expect(written).toHaveLength(7);
    expect(await readFile(join(invoiceFolder(), 'template.html'), 'utf8')).toBe(
      await readFile(join(examplesFolder, 'invoice/template.html'), 'utf8'),
    );
    expect(await run('diff', folder)).toEqual({ code: 0, stdout: 'No differences.\n', stderr: '' });
  });

  it('are stored with their sample data, which stay if the files have none', async () => {
    const file = join(invoiceFolder(), 'sample.json');
    const sample = await readFile(file, 'utf8');
    expect(JSON.parse(sample)).toEqual(JSON.parse(await readFile(join(examplesFolder, 'invoice/sample.json'), 'utf8')));
    await rm(file);
    expect(await runJson<Row[]>('push', invoiceFolder())).toEqual([expect.objectContaining({ result: 'unchanged' })]);
    await writeFile(file, '[]');
    const refused = await run('push', invoiceFolder());
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/sample\.json is not valid/) });
    await writeFile(file, sample);
  });

  it('show how files differ, and get a new version from them', async () => {
    const file = join(invoiceFolder(), 'template.html');
    const html = await readFile(file, 'utf8');
    await writeFile(file, html.replace('</body>', '<p>Thank you</p>\n</body>'));
    const { code, stdout } = await run('diff', folder);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^--- stored\/template\.html$/m);
    expect(stdout).toMatch(/^\+<p>Thank you<\/p>$/m);
    expect(await runJson<Row[]>('push', invoiceFolder(), '--changes', 'a word of thanks')).toEqual([
      expect.objectContaining({ name: 'Invoice', version: 2, result: 'updated', changed: ['content'] }),
    ]);
    expect((await run('diff', folder)).code).toBe(0);
  });

  it('do not overwrite files that were edited', async () => {
    const file = join(invoiceFolder(), 'template.html');
    await writeFile(file, '<p>mine</p>');
    const { code, stderr } = await run('pull', 'Invoice', '--dir', folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(file)]);
    expect(await readFile(file, 'utf8')).toBe('<p>mine</p>');
    expect((await run('pull', 'Invoice', '--dir', folder, '--force')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('Thank you');
  });
});

describe('A mistake in the files', () => {
  const broken = () => join(folder, 'broken');
  const withFiles = async (files: Record<string, string>): Promise<{ code: number | null; stderr: string }> => {
    await rm(broken(), { recursive: true, force: true });
    await mkdir(broken());
    for (const [name, text] of Object.entries(files)) await writeFile(join(broken(), name), text);
    return run('push', broken());
  };

  it.each([
    ['of the syntax', { 'template.html': '<p>\n{{#if x}}</p>' }, /broken, line \d: .*if/],
    ['of the JSON', { 'template.html': '<p>', 'template.json': '{"name": }' }, /template\.json is not JSON: .*}/],
    [
      'of an option',
      { 'template.html': '<p>', 'template.json': '{"name": "x", "default_options": {"page_size": "A44"}}' },
      /template\.json is not valid:\n.*\n.*default_options\.page_size/,
    ],
    ['of the folder', { 'template.htm': '<p>' }, /Neither .*broken nor a folder in it has a template\.html/],
  ])('%s is named with its place, and nothing is stored', async (_, files, message) => {
    const before = await runJson<Row[]>('list');
    const { code, stderr } = await withFiles(files);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await runJson<Row[]>('list')).toEqual(before);
  });

  it('that names a file is answered with what is expected', async () => {
    const file = join(folder, 'letter.html');
    await writeFile(file, '<p>');
    for (const command of ['push', 'diff']) {
      const { code, stderr } = await run(command, file);
      expect([code, stderr]).toEqual([
        2,
        `${file} is a file. Name a folder with a template.html, or a folder that contains such folders.\n`,
      ]);
    }
  });

  it('in the name of a folder is answered with its full path', async () => {
    expect((await run('push', 'missing')).stderr).toMatch(/^There is no folder \/.+\/missing\.\n$/);
  });
});

it('Without --account the only account is used; with several one must be named', async () => {
  expect((await run('list')).code).toBe(0);
  await openAccount(installation, '--name', 'second');
  const { code, stderr } = await run('list');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/several accounts.*--account/)]);
  expect((await run('list', '--account', 'second')).stdout).toBe('(none)\n');
});
