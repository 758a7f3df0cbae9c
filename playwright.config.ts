import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './libs/config/find-browser.mjs';

const executablePath = findBrowser(process.env);

// Like the tests of vitest, these start services of their own and wait for conditions only.
export default defineConfig({
  testDir: 'test/dashboard',
  testMatch: '**/*.spec.ts',
  globalSetup: './test/dashboard/support/build-dashboard.ts',
  // Another folder for each copy of the project, since several may run their tests.
  outputDir: join(tmpdir(), `colophon-playwright-${hash('sha256', import.meta.dirname).slice(0, 12)}`),
  workers: 2,
  retries: 0,
  timeout: 120_000,
  // As long as that of vitest: a condition that holds within a second on a quiet machine may need longer on a busy one.
  expect: { timeout: 30_000 },
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: executablePath === undefined ? {} : { executablePath },
    contextOptions: { reducedMotion: 'reduce' },
  },
});
