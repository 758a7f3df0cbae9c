// Runs on the Node that is installed with the dependencies.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Browser, detectBrowserPlatform, install, resolveBuildId } from '@puppeteer/browsers';
import { downloadedBrowsersFolder } from '../../libs/config/find-browser.mjs';

const browser = Browser.CHROMEHEADLESSSHELL;
const platform = detectBrowserPlatform();
const buildId = await resolveBuildId(browser, platform, 'stable');
const { executablePath } = await install({
  browser,
  platform,
  buildId,
  cacheDir: dirname(downloadedBrowsersFolder),
  installDeps: process.getuid?.() === 0,
});

// Without this check, later starts would use a browser whose shared libraries are missing.
execFileSync(executablePath, ['--version'], { stdio: 'inherit' });

const link = join(downloadedBrowsersFolder, 'chrome-headless-shell');
mkdirSync(downloadedBrowsersFolder, { recursive: true });
rmSync(link, { force: true });
symlinkSync(executablePath, link);
