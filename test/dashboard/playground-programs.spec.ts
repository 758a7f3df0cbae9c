import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, type Locator, type Page } from '@playwright/test';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';
import { test } from './support/dashboard-service.ts';
import { showOptions } from './support/playground.ts';

const run = promisify(execFile);
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;

const choose = async (page: Page, label: RegExp, name: string): Promise<void> => {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name, exact: true }).click();
};
const chooseFiles = async (
  page: Page,
  button: string,
  files: readonly string[],
  place: Page | Locator = page,
): Promise<void> => {
  const chooser = page.waitForEvent('filechooser');
  await place.getByRole('button', { name: button }).first().click();
  await (await chooser).setFiles([...files]);
};

/** Runs a program in a folder of its own beside the files, and gives the first bytes of what it has written. */
const runProgram = async (command: string, program: string, text: string, key: string, files: readonly string[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-program-'));
  try {
    for (const file of files) await copyFile(file, join(folder, file.split('/').at(-1)!));
    await writeFile(join(folder, program), text);
    await run(command, [program], { cwd: folder, env: { ...process.env, COLOPHON_KEY: key } });
    const given = new Set([program, ...files.map((file) => file.split('/').at(-1))]);
    const made = (await readdir(folder)).find((name) => !given.has(name));
    return (await readFile(join(folder, made!))).subarray(0, 4).toString('latin1');
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Runs the shown program of each language. One after the other, so that each document has its time limit for itself. */
const runPrograms = async (page: Page, key: string, files: readonly string[]): Promise<Record<string, string>> => {
  const code = page.getByRole('region', { name: 'The same from a program' });
  const made: Record<string, string> = {};
  for (const [language, command, program] of [
    ['curl', 'bash', 'program.sh'],
    ['Node.js', process.execPath, 'program.mjs'],
    ...(hasRequests ? ([['Python', 'python3', 'program.py']] as const) : []),
  ] as const) {
    await code.getByRole('tab', { name: language }).click();
    const text = await code.locator('pre').innerText();
    made[language] = await runProgram(command, program, text, key, files);
  }
  return made;
};
const expected = (start: string): Record<string, string> => ({
  curl: start,
  'Node.js': start,
  ...(hasRequests ? { Python: start } : {}),
});

test('The programs send a text with every kind of option', async ({ browser, dashboard }) => {
  const { id, key } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  await page.getByRole('textbox', { name: 'Document' }).fill('# It\'s true, null: false\n\n`$HOME` "quoted" é 🌲\n');
  await showOptions(page);
  await page.getByLabel('PDF title').fill("It's true, null");
  await choose(page, /Archive standard/, 'pdf/a-3b');
  await choose(page, /Accessibility standard/, 'Yes');
  await page.getByLabel('Text on every page').fill('DRAFT');
  await page.getByLabel('Format', { exact: true }).fill('{page} of {total}');
  expect(await runPrograms(page, key, [])).toEqual(expected('%PDF'));
  const files = [fixture('documents/orders.csv'), fixture('invoices/basic.xml')];
  await chooseFiles(page, 'Attach files', [files[0]!]);
  await chooseFiles(page, 'Choose an XML file', [files[1]!]);
  await choose(page, /Profile of the invoice/, 'basic');
  expect(await runPrograms(page, key, files)).toEqual(expected('%PDF'));
});

test('The programs send files, and receive images', async ({ browser, dashboard }) => {
  const { id, key } = await dashboard.openAccount();
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  const document = fixture('documents/agreement.docx');
  await chooseFiles(page, 'Choose a file', [document]);
  await showOptions(page);
  await choose(page, /Layout of Word documents/, 'semantic');
  await choose(page, /^.*Output/, 'png');
  const made = await runPrograms(page, key, [document]);
  expect([expected('PK\u0003\u0004'), expected('\u0089PNG')]).toContainEqual(made);
});

test('The programs compose texts, files and templates, with the digits of long numbers', async ({
  browser,
  dashboard,
}) => {
  const { id, key, client, templates } = await dashboard.openAccount();
  const digits = '"total":12345678901234567890,"rate":0.12345678901234567890,"place":"Köln 🌲"';
  await templates.create('<h1>{{total}}</h1>', { name: 'Total', sample_data: parseExactJson(`{${digits}}`) });
  const page = await dashboard.openPage(browser, { accountId: id, role: 'owner' }, '/playground');
  const part = (number: number) => page.getByRole('group', { name: `Part ${number}`, exact: true });
  await choose(page, /What to make/, 'A PDF of several parts');
  await page.getByText('Table of contents').click();
  await part(1)
    .getByRole('button', { name: /Input type/ })
    .click();
  await page.getByRole('option', { name: 'Template', exact: true }).click();
  await part(1)
    .getByRole('button', { name: /Choose a template/ })
    .click();
  await page.getByRole('option', { name: 'Total' }).click();
  await expect(part(1).getByRole('textbox', { name: 'Data of the template' })).toHaveValue(/12345678901234567890/);
  const made = await runPrograms(page, key, []);
  expect(made).toEqual(expected('%PDF'));

  await page.getByRole('button', { name: 'Add a part' }).click();
  const files = [fixture('documents/release-notes.md'), fixture('documents/orders.csv')];
  await chooseFiles(page, 'Choose a file', [files[0]!], part(2));
  await chooseFiles(page, 'Choose a file', [files[1]!], part(3));
  await page.getByRole('button', { name: 'Make the PDF' }).click();
  await expect(page.getByRole('region', { name: 'PDF' }).locator('canvas').first()).toBeVisible();
  expect(await runPrograms(page, key, files)).toEqual(expected('%PDF'));
  type Render = { id: string; key_id: string | null };
  const { renders } = (await client.request('GET', '/api/v1/renders')).body as { renders: Render[] };
  const ofPrograms = renders.filter(({ key_id: keyId }) => keyId !== null);
  const inputs = await Promise.all(ofPrograms.map((one) => client.request('GET', `/api/v1/renders/${one.id}/input`)));
  expect(inputs).toHaveLength(2 * Object.keys(made).length);
  for (const { text } of inputs) expect(text).toContain(digits);
});
