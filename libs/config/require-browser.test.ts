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

test('PUPPETEER_EXECUTABLE_PATH is used before browsers on PATH', () => {
  expect(requireBrowser({ PUPPETEER_EXECUTABLE_PATH: process.execPath, PATH: folderWith('chromium') })).toBe(
    process.execPath,
  );
});

test('A headless shell is used before a full browser, wherever it is on PATH', () => {
  const [browsers, shell] = [folderWith('google-chrome', 'chromium'), folderWith('chromium-headless-shell')];
  expect(findBrowser({ PATH: `${browsers}:${shell}` })).toBe(join(shell, 'chromium-headless-shell'));
  expect(findBrowser({ PATH: browsers })).toBe(join(browsers, 'chromium'));
});

test('A browser from a snap, a folder and a file that is not executable are ignored', () => {
  const folder = folderWith('snap/chromium', 'google-chrome');
  const path = mkdtempSync(join(tmpdir(), 'browsers-'));
  symlinkSync(join(folder, 'snap/chromium'), join(path, 'chromium'));
  mkdirSync(join(path, 'chrome-headless-shell'));
  writeFileSync(join(path, 'chromium-headless-shell'), '');
  expect(findBrowser({ PATH: `${path}:${folder}` })).toBe(join(folder, 'google-chrome'));
});

test('A downloaded browser is used last', () => {
  const found = findBrowser({ PATH: folderWith() });
  expect(found === undefined || found.startsWith(downloadedBrowsersFolder)).toBe(true);
});

test('A wrong PUPPETEER_EXECUTABLE_PATH is an error', () => {
  expect(() => requireBrowser({ PUPPETEER_EXECUTABLE_PATH: '/etc/passwd', PATH: folderWith('chromium') })).toThrow(
    'PUPPETEER_EXECUTABLE_PATH is "/etc/passwd"',
  );
});
