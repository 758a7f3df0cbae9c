import { beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { findTextRun } from '../support/documents/read-pdf.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let caller: ApiClient;
beforeAll(async () => {
  caller = createClient(at.service.url, await createUnlimitedKey(at.installation));
});

const threePages = '<p>one<p style="break-before:page">two<p style="break-before:page">three';

describe.each(['', '<script>1</script>'])('Header and footer (%j)', (script) => {
  it('are on every page, with its number and the total', async () => {
    const pages = await caller.renderedPages('html', threePages + script, {
      header_html: '<b>Sheet {{page}}</b> of {{total}}',
      footer_html: 'End of {{page}}/{{total}}',
    });
    expect(pages).toHaveLength(3);
    for (const [index, { text }] of pages.entries()) {
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`Sheet ${index + 1} of 3`);
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`End of ${index + 1}/3`);
    }
  });

  it('show the date of the request', async () => {
    const rendered = await caller.render('html', `<p>x</p>${script}`, { header_html: 'On {{date}}.' });
    const pages = await caller.renderedPages('html', `<p>x</p>${script}`, { header_html: 'On {{date}}.' });
    expect(pages[0]!.text).toContain(`On ${rendered.created_at.slice(0, 10)}.`);
  });

  it('are in the margins, the header above the text and the footer below it', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: 'HEAD',
      footer_html: 'FOOT',
    });
    expect(findTextRun(page!, 'HEAD').top).toBeLessThan(20);
    expect(findTextRun(page!, 'TEXT').top).toBeGreaterThan(20);
    expect(findTextRun(page!, 'FOOT').top).toBeGreaterThan(297 - 20);
  });

  it('increase a margin that is smaller than the header', async () => {
    const options = { header_html: 'HEAD', header_height: 60, margin_top: 5 };
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, options);
    const [without] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, { margin_top: 5 });
    expect(findTextRun(page!, 'TEXT').top - findTextRun(without!, 'TEXT').top).toBeCloseTo(55, 0);
    expect(findTextRun(page!, 'HEAD').top).toBeLessThan(60);
  });

  it('do not change header and footer of the next document', async () => {
    await caller.renderedPages('html', `<p>x</p>${script}`, { header_html: 'HEAD' });
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`);
    expect(page!.text.trim()).toBe('TEXT');
  });

  it('have a font size of at least 7 points', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: 'HEAD',
      footer_html: 'FOOT',
    });
    expect(findTextRun(page!, 'HEAD').size).toBeGreaterThanOrEqual(7);
    expect(findTextRun(page!, 'FOOT').size).toBeGreaterThanOrEqual(7);
  });

  it('run no scripts', async () => {
    const [page] = await caller.renderedPages('html', `<p>TEXT</p>${script}`, {
      header_html: '<script>document.body.textContent = "run"</script>A &amp; B',
    });
    expect(page!.text).toContain('A & B');
    expect(page!.text).not.toContain('run');
  });
});
