import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireBrowser } from './require-browser.ts';
import { downloadedBrowsersFolder, findBrowser } from './find-browser.mjs';

const folderWith = (...names: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'browsers-'));
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

test('the browser that is named wins over those on PATH', () => {
  expect(requireBrowser({ PUPPETEER_EXECUTABLE_PATH: process.execPath, PATH: folderWith('chromium') })).toBe(
    process.execPath,
  );
});

test('a headless shell is preferred to a whole browser, wherever on PATH it lies', () => {
  const [whole, shell] = [folderWith('google-chrome', 'chromium'), folderWith('chromium-headless-shell')];
  expect(findBrowser({ PATH: `${whole}:${shell}` })).toBe(join(shell, 'chromium-headless-shell'));
  expect(findBrowser({ PATH: whole })).toBe(join(whole, 'chromium'));
});

test('a browser out of a snap, a folder and a file that is not executable are passed over', () => {
  const folder = folderWith('snap/chromium', 'google-chrome');
  const path = mkdtempSync(join(tmpdir(), 'browsers-'));
  symlinkSync(join(folder, 'snap/chromium'), join(path, 'chromium'));
  mkdirSync(join(path, 'chrome-headless-shell'));
  writeFileSync(join(path, 'chromium-headless-shell'), '');
  expect(findBrowser({ PATH: `${path}:${folder}` })).toBe(join(folder, 'google-chrome'));
});

test('a browser that the set-up has downloaded is found last', () => {
  const found = findBrowser({ PATH: folderWith() });
  expect(found === undefined || found.startsWith(downloadedBrowsersFolder)).toBe(true);
});

test('a wrong PUPPETEER_EXECUTABLE_PATH is reported, not passed over', () => {
  expect(() => requireBrowser({ PUPPETEER_EXECUTABLE_PATH: '/etc/passwd', PATH: folderWith('chromium') })).toThrow(
    'PUPPETEER_EXECUTABLE_PATH is "/etc/passwd"',
  );
});
