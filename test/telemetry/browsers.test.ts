import { expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { parseExposition } from '../support/telemetry/exposition.ts';

const at = serviceForTestFile();

const documents = async (): Promise<Record<string, number>> => {
  const samples = parseExposition(await (await fetch(`${at.service.url}/metrics`)).text());
  return Object.fromEntries(
    samples
      .filter(({ metric }) => metric === 'colophon_browser_documents_printed')
      .map(({ labels, value }) => [labels['browser'], value]),
  );
};

it.each([
  ['static', 'without scripts', '<p>x'],
  [
    'scripted',
    'with scripts that name no address',
    '<meta charset="utf-8"><p id=p></p><script>p.textContent = [3, 1].map(function (x) { return x }).join()</script>',
  ],
  [
    'animated',
    'with scripts that wait for screen frames',
    '<p id=p></p><script>requestAnimationFrame(() => (p.textContent = 1))</script>',
  ],
  [
    'animated',
    'with scripts that may fetch',
    '<p id=p></p><script>fetch("https://127.0.0.1/").catch(() => (p.textContent = 1))</script>',
  ],
])('The browser "%s" prints a document %s', async (browser, _, html) => {
  const before = await documents();
  await createClient(at.service.url, await createUnlimitedKey(at.installation)).render('html', html);
  expect(await documents()).toEqual({ ...before, [browser]: before[browser]! + 1 });
});
