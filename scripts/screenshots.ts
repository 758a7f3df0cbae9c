import { mkdirSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { findBrowser } from '#libs/config/find-browser.mjs';
import { readExamples } from '#libs/templating/examples.ts';
import { freePort } from '../test/support/network/free-port.ts';
import { startDashboardService } from '../test/dashboard/support/dashboard-service.ts';
import { ensureDashboard } from './setup/dashboard.mjs';

// node scripts/screenshots.ts [PAGE...]: writes docs/screenshots/<page>-<light|dark|phone>.png from a service with sample data.
const folder = 'docs/screenshots';
const wanted = process.argv.slice(2);

type Shot = { name: string; path: string; prepare?: (page: Page) => Promise<void> };

/** Waits until nothing is loading any more. */
const settle = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('.loading, .spinner, .skeleton, .table-skeleton, [aria-busy=true]') === null,
  );
  // The size of the window changes which thumbnails are in view.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.thumbnail[data-state]')].every((thumbnail) => {
      const isInView = thumbnail.getBoundingClientRect().top < window.innerHeight;
      return !isInView || thumbnail.getAttribute('data-state') !== 'waiting';
    }),
  );
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
};

ensureDashboard();
mkdirSync(folder, { recursive: true });
// The landing page shows the port.
const dashboard = await startDashboardService({ PORT: String(await freePort()) });
const executablePath = findBrowser(process.env);
const browser = await chromium.launch(executablePath === undefined ? {} : { executablePath });
try {
  const account = await dashboard.openAccount('Paper Mill Graz', 'Web shop');
  const examples = await readExamples();
  const ids: string[] = [];
  for (const { template, sample } of examples) {
    const response = await account.client.request('POST', '/api/v1/templates', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...template, sample_data: sample }),
    });
    const id = String(response.body['id']);
    ids.push(id);
    for (let count = 0; count < 3; count += 1)
      await account.client.postRender({ mode: 'RENDER', template_id: id, data: sample, keep_pdf: true });
  }
  for (const text of ['# Minutes', '# Report', '# Letter']) await account.client.convert('markdown', text);
  await account.client.convert('csv', 'Article,Price\nInk,4\nLinen thread,7.50\n');
  await account.client.convert('xml', '<a><b></a>');
  await account.client.postRender({ mode: 'RENDER', template_id: ids[0], data: {} });
  const callback = { webhook_url: 'https://receiver.example/hooks/documents' };
  const { body: delivered } = await account.client.convert('html', '<h1>Delivery note</h1>', callback);
  const done = await account.client.request('GET', `/api/v1/renders?status=DONE&template_id=${ids[0] ?? ''}&limit=1`);
  const [render] = done.body['renders'] as { id: string }[];

  const person = { accountId: account.id, role: 'owner', operator: true, email: 'ada@example.com' } as const;
  const shots: Shot[] = [
    { name: 'overview', path: '' },
    { name: 'renders', path: '/renders' },
    { name: 'render', path: `/renders/${render?.id ?? ''}` },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'webhook', path: `/webhooks/${String(delivered['job_id'])}` },
    { name: 'templates', path: '/templates' },
    { name: 'template', path: `/templates/${ids[0] ?? ''}` },
    {
      name: 'playground',
      path: '/playground',
      prepare: async (page) => {
        await page.getByRole('button', { name: 'Make the PDF' }).click();
        await page.locator('[data-drawn-page]').waitFor();
        await page.evaluate(() => window.scrollTo(0, 0));
      },
    },
    { name: 'keys', path: '/keys' },
    { name: 'usage', path: '/usage' },
    { name: 'audit', path: '/audit' },
    { name: 'people', path: '/people' },
    { name: 'settings', path: '/settings' },
    { name: 'account', path: '/account' },
    { name: 'operator', path: '/operator' },
  ];
  const page = await dashboard.openPage(browser, person);
  const signedOut = await browser.newPage({ baseURL: dashboard.url });
  const take = async (on: Page, { name, path, prepare }: Shot, base = '/dashboard'): Promise<void> => {
    if (wanted.length > 0 && !wanted.includes(name)) return;
    for (const [kind, colorScheme, width, height] of [
      ['light', 'light', 1200, 700],
      ['phone', 'light', 360, 740],
      ['dark', 'dark', 1200, 700],
    ] as const) {
      await on.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await on.setViewportSize({ width, height });
      await on.goto(base + path);
      await settle(on);
      await prepare?.(on);
      await settle(on);
      await on.evaluate(() => window.scrollTo(0, 0));
      await on.screenshot({ path: `${folder}/${name}-${kind}.png` });
    }
    console.log(name);
  };
  for (const shot of shots) await take(page, shot);
  await take(signedOut, { name: 'landing', path: '/' }, '');
  await take(signedOut, { name: 'sign-in', path: '/sign-in' });
} finally {
  await browser.close();
  await dashboard.close();
}
