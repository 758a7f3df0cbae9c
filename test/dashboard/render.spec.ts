import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { startHttpServer } from '#libs/egress/testing/test-servers.ts';
import { expectAccessible } from './support/accessibility.ts';
import { test } from './support/dashboard-service.ts';
import { type Dashboard, openDashboardOn } from './support/open-dashboard.ts';

type Body = Record<string, unknown>;

const html = `<h1>It's a report</h1><p style="font-family:Calibri">Figures</p><script>console.log('hello')</script>`;
const convert = { mode: 'CONVERT', input_type: 'html', data: html };

let dashboard: Dashboard;
let owner: BrowserContext;
let page: Page;

const send = async (path: string, body: unknown): Promise<Body> => {
  const response = await fetch(dashboard.service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${dashboard.key.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Body;
};
const rendered = async (fields: Body = {}): Promise<string> =>
  String((await send('/api/v1/render', { ...convert, ...fields })).id);
const open = (path: string, on = page) => on.goto(`/dashboard/renders/${path}`);
const event = (name: string | RegExp) => page.locator('.timeline').getByRole('button', { name });

test.beforeAll(async ({ browser, dashboard: service }) => {
  dashboard = await openDashboardOn(service);
  owner = await dashboard.signIn(browser, 'owner');
});
test.beforeEach(async () => {
  page = await owner.newPage();
});
test.afterEach(() => page.close());

test('A render is shown with its record, its PDF, and its events down to the raw JSON, by keyboard', async () => {
  const id = await rendered({ keep_pdf: true, file_name: 'report' });
  await open(id);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(id);
  const summary = page.getByRole('region', { name: 'Document' });
  for (const text of ['HTML', 'first key', 'report.pdf', 'scripted', 'HeadlessChrome/'])
    await expect(summary).toContainText(text);
  await expect(page.locator('canvas')).toBeVisible();
  await expect(page.getByText('Page 1 of 1')).toBeVisible();
  await expect(page.locator('.render-phase-legend')).toContainText(/Loading [\d.]+ m?s\s*Printing/);
  await event(/Render started/).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.timeline-body')).toContainText(/Revision\s*1[\s\S]*req_/);
  await expect(page.locator('.timeline-body pre')).toContainText('"type": "RenderStarted"');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page.locator('.timeline-body')).toBeHidden();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download PDF' }).click();
  expect((await downloading).suggestedFilename()).toBe('report.pdf');
});

test('Input, options and diagnostics are shown; messages and fonts are collected on demand', async () => {
  const id = await rendered({ page_size: 'A3', footer_html: '<b>{{page}}</b>' });
  await open(id);
  await page.getByRole('tab', { name: 'Timeline' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tabpanel')).toContainText("It's a report");
  await expect(page.getByRole('region', { name: 'Footer' })).toContainText('<b>{{page}}</b>');
  const downloading = page.waitForEvent('download');
  await expect(page.getByRole('button', { name: 'Download the footer' })).toBeVisible();
  await page.getByRole('button', { name: 'Download the input' }).click();
  const file = await (await downloading).path();
  expect(await readFile(file, 'utf8')).toBe(html);
  await expectAccessible(page);

  await page.getByRole('tab', { name: 'Options' }).click();
  await expect(page).toHaveURL(/tab=options/);
  await expect(page.getByRole('row', { name: 'page_size A3 A3' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'margin_top default 20' })).toBeVisible();
  await page.getByText('Only those that differ from the default').click();
  await expect(page.getByRole('row', { name: /margin_top/ })).toBeHidden();
  await expectAccessible(page);

  await page.getByRole('tab', { name: 'Diagnostics' }).click();
  await expect(page.getByRole('tabpanel')).toContainText('script element on line 1');
  await page.getByRole('button', { name: 'Collect messages and fonts' }).click();
  await expect(page.getByRole('region', { name: 'Console' })).toContainText('hello');
  await expect(page.getByRole('tabpanel')).toContainText('Calibri: shown with');
  await expectAccessible(page);
});

test('Options that a template may have set are not called those of the request', async () => {
  const template = { name: 'A5', content: '<p>x', default_options: { page_size: 'A5' } };
  const { id: templateId } = await send('/api/v1/templates', template);
  const { id } = await send('/api/v1/render', { mode: 'RENDER', template_id: templateId, data: {} });
  await open(`${String(id)}?tab=options`);
  await expect(page.getByRole('row', { name: 'page_size A5 A5' })).toBeVisible();
  const header = page.getByRole('columnheader', { name: 'In the request or the default options of the template' });
  await expect(header).toBeVisible();
  await page.getByRole('tab', { name: 'Request' }).click();
  await expect(page.getByText('The command names the default options of the template, too.')).toBeVisible();
  await open(`${await rendered()}?tab=options`);
  await expect(page.getByRole('columnheader', { name: 'In the request', exact: true })).toBeVisible();
});

test('The request as curl makes the PDF again, with the key in a variable', async () => {
  const id = await rendered();
  await open(`${id}?tab=request`);
  const code = page.getByRole('tabpanel').last().locator('pre');
  await expect(code).toContainText("It'\\''s a report");
  const command = (await code.textContent())!;
  expect(command).toContain('$COLOPHON_KEY');
  const folder = await mkdtemp(join(tmpdir(), 'colophon-curl-'));
  const env = { ...process.env, COLOPHON_KEY: dashboard.key.key };
  await promisify(execFile)('sh', ['-c', command], { cwd: folder, env });
  expect(await readFile(join(folder, `${id}.pdf`), 'latin1')).toMatch(/^%PDF/);
  const long = await rendered({ data: `<p>${'long text '.repeat(2_000)}` });
  await open(`${long}?tab=request`);
  await expect(code).toContainText(`-F file=@input.html`);
  await promisify(execFile)('sh', ['-c', (await code.textContent())!], { cwd: folder, env });
  expect(await readFile(join(folder, `${long}.pdf`), 'latin1')).toMatch(/^%PDF/);
  await rm(folder, { recursive: true });
  await expectAccessible(page);
});

test('A render is verified, and a PDF that was not kept is made again and shown', async () => {
  const id = await rendered();
  await open(id);
  await expect(page.getByText('This PDF is not kept')).toBeVisible();
  await page.getByRole('button', { name: 'Verify' }).click();
  const proof = page.getByRole('dialog', { name: 'Verify the render' });
  await expect(proof.getByText('has the same bytes')).toBeVisible();
  await expect(proof.getByRole('row', { name: /^SHA-256/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Verify' })).toBeFocused();
  await expect(page.getByText('Same bytes', { exact: true })).toBeVisible();
  await expect(event(/Verification: the document was rendered again: same bytes/)).toBeVisible();
  await expect(page.getByText('“Render again” makes a new render with its own id')).toBeVisible();
  await page.getByRole('button', { name: 'Make it again' }).click();
  await expect(page.locator('canvas')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download PDF' })).toBeVisible();
});

test('On a phone all tabs are in view, notices have room for their text, and words stay whole', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(`${await rendered()}?tab=diagnostics`);
  const action = page.getByRole('button', { name: 'Collect messages and fonts' });
  await expect(action).toBeVisible();
  const hidden = await page.getByRole('tablist').evaluate((tabs) => tabs.scrollWidth - tabs.clientWidth);
  expect(hidden).toBe(0);
  const text = (await page.getByText('Messages of scripts and fonts are not recorded').boundingBox())!;
  expect((await action.boundingBox())!.y).toBeGreaterThanOrEqual(text.y + text.height);

  await page.getByRole('button', { name: 'Verify' }).click();
  const lines = await page.getByRole('rowheader', { name: 'SHA-256' }).evaluate((header) => {
    const range = document.createRange();
    range.selectNodeContents(header);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
  const proof = page.getByRole('dialog', { name: 'Verify the render' });
  const right = async (of: Locator): Promise<number> => of.evaluate((element) => element.getBoundingClientRect().right);
  expect(await right(proof.getByRole('table'))).toBeLessThan(await right(proof));
  await proof.getByRole('button', { name: /^Copy/ }).first().hover();
  expect(await right(page.getByRole('tooltip'))).toBeLessThanOrEqual(360);
});

test('"Render again" leads to the new render, which names the first one and the person', async () => {
  const id = await rendered();
  await open(id);
  await page.getByRole('button', { name: 'Render again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText(id);
  const summary = page.getByRole('region', { name: 'Document' });
  await expect(summary.getByText('Repeats')).toBeVisible();
  await expect(summary).toContainText(dashboard.emailOf('owner'));
  await expect(page.locator('canvas')).toBeVisible();
  const repeated = page.url().split('/').at(-1)!;
  const detail = (await (await owner.request.get(`/api/v1/renders/${repeated}`)).json()) as {
    requested_by: { kind: string; id: string };
    repeated_from: string;
  };
  expect(detail).toMatchObject({ repeated_from: id, requested_by: { kind: 'person' } });
  const query = `person_id=${detail.requested_by.id}`;
  const listed = (await (await owner.request.get(`/api/v1/renders?${query}`)).json()) as { renders: Body[] };
  expect(listed.renders.map(({ id: one }) => one)).toEqual([repeated]);
});

test('A failed render says why, at which line, and what to do', async () => {
  const body = { mode: 'CONVERT', input_type: 'markdown', data: '# Title\n\n```js\nnever closed' };
  const id = String((await send('/api/v1/render', body)).render_id);
  await open(id);
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('invalid_markdown');
  await expect(alert).toContainText('Line 3');
  await expect(alert.locator('[aria-current=true]')).toHaveText('```js');
  await expect(alert).toContainText('Close the code fence');
  await expect(page.getByText('A failed render has no PDF.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Verify' })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Render again' }).click();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(alert.first()).toContainText('invalid_markdown');
});

test('A running render is followed until it is done', async () => {
  // The page of another render is there first, because loading it may take as long as the render.
  await open(await rendered());
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const isSeen = Promise.withResolvers<void>();
  const site = await startHttpServer(async (_, response) => {
    await isSeen.promise;
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  try {
    const data = `<p>Late<img src="http://127.0.0.1:${site.port}/late.svg">`;
    const job = await send('/api/v1/render/async', { mode: 'CONVERT', input_type: 'html', data });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search', exact: true }).fill(String(job.id));
    await page.keyboard.press('Enter');
    await expect(page.getByText('The document is being rendered.')).toBeVisible();
    await expect(page.getByText('The PDF appears here when the render is done.')).toBeVisible();
    isSeen.resolve();
    await expect(page.locator('canvas')).toBeVisible();
  } finally {
    await site.close();
  }
  await expect(event(/Render completed/)).toBeVisible();
  await expect(page.getByText('The document is being rendered.')).toBeHidden();
});

test('A viewer sees everything and can change nothing; a developer can', async ({ browser }) => {
  const id = await rendered();
  const viewer = await dashboard.signIn(browser, 'viewer');
  const shown = await viewer.newPage();
  await open(id, shown);
  for (const name of ['Verify', 'Render again', 'Make it again'])
    await expect(shown.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  await shown.getByRole('tab', { name: 'Input' }).click();
  await expect(shown.getByRole('tabpanel')).toContainText("It's a report");
  await shown.getByRole('tab', { name: 'Diagnostics' }).click();
  await expect(shown.getByRole('button', { name: 'Collect messages' })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(shown);
  const headers = { origin: dashboard.service.url };
  for (const action of ['verify', 'repeat'])
    expect((await viewer.request.post(`/api/v1/renders/${id}/${action}`, { data: {}, headers })).status()).toBe(403);
  expect((await viewer.request.get(`/api/v1/renders/${id}/diagnostics?rerender=true`)).status()).toBe(403);
  await viewer.close();
  const developer = await dashboard.signIn(browser, 'developer');
  const theirs = await developer.newPage();
  await open(id, theirs);
  await theirs.getByRole('button', { name: 'Render again' }).click();
  await expect(theirs.getByRole('region', { name: 'Document' }).getByText('Repeats')).toBeVisible();
  await developer.close();
});
