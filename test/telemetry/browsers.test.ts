import { expect, it } from 'vitest';
import { freeKey } from '../e2e/accounts.ts';
import { clientOf } from '../e2e/client.ts';
import { serviceForFile } from '../e2e/service.ts';
import { readExposition } from './exposition.ts';

const at = serviceForFile();

const documents = async (): Promise<Record<string, number>> => {
  const samples = readExposition(await (await fetch(`${at.service.url}/metrics`)).text());
  return Object.fromEntries(samples.filter(({ metric }) => metric === 'colophon_browser_documents').map(({ labels, value }) => [labels['browser'], value]));
};

it.each([
  ['static', 'without scripts', '<p>x'],
  ['scripted', 'with scripts that name no address', '<meta charset="utf-8"><p id=p></p><script>p.textContent = [3, 1].map(function (x) { return x }).join()</script>'],
  ['animated', 'with scripts that wait for screen frames', '<p id=p></p><script>requestAnimationFrame(() => (p.textContent = 1))</script>'],
  ['animated', 'with scripts that may fetch', '<p id=p></p><script>fetch("https://127.0.0.1/").catch(() => (p.textContent = 1))</script>'],
])('The browser "%s" prints a document %s', async (browser, _, html) => {
  const before = await documents();
  await clientOf(at.service.url, await freeKey(at.house)).render('html', html);
  expect(await documents()).toEqual({ ...before, [browser]: before[browser]! + 1 });
});
