import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Files, createFolder, repositoryRoot, runToEnd } from '../support/repo/project-folder.ts';

const lock = JSON.stringify({ packages: { '': {}, 'node_modules/node': { version: '26.0.0', integrity: 'a' } } });
const languages = 'en|el|ru|ar|he|hi|th|zh-cn|zh-tw|ja|ko|und-zsye';
const substitutes = ['Carlito', 'Caladea', 'DejaVu Sans', 'TeX Gyre Pagella', 'EB Garamond,EB Garamond 12']
  .concat(['Comic Neue', 'Dancing Script', 'STIX Math'])
  .map((family) => `printf '${family}\\ten\\tFalse\\t\\n'\n`)
  .join('');
const allFonts = `#!/bin/sh\nprintf 'Liberation Sans\\t${languages}\\tTrue\\t100\\n'\n${substitutes}`;
const someFonts = `#!/bin/sh\nprintf 'Liberation Sans\\ten|el|ru|ar|he\\tFalse\\t100\\n'\n${substitutes}`;
const user = (id: number): string => `#!/bin/sh\necho ${id}\n`;
const browser = '#!/bin/sh\n';

// Records its arguments. `install` creates the browser and the fonts, or fails.
const apt = (failing = false): string => {
  const install = failing
    ? 'echo "E: no space"; exit 100'
    : [
        'echo "#!/bin/sh" > "$HOME/bin/chromium-headless-shell"',
        '/bin/chmod +x "$HOME/bin/chromium-headless-shell"',
        '/bin/cp "$HOME/fonts" "$HOME/bin/fc-list"',
      ].join('; ');
  return `#!/bin/sh
echo "$*" >> "$HOME/apt.log"
echo "noise of apt"
case "$*" in *install*) ${install};; esac
`;
};

// Downloads nothing, and returns the file `downloaded`.
const puppeteerBrowsers = `
export const Browser = { CHROMEHEADLESSSHELL: 'chrome-headless-shell' };
export const detectBrowserPlatform = () => 'linux';
export const resolveBuildId = async () => '1';
export const install = async () => ({ executablePath: process.env.HOME + '/downloaded' });
`;

const offers = "#!/bin/sh\nprintf '  Candidate: 1.0\\n'\n";

const installed: Files = {
  'package-lock.json': lock,
  'node_modules/.package-lock.json': lock,
  'node_modules/.bin/node': '#!/bin/sh\nexit 1\n',
  fonts: allFonts,
};

const setUp = (files: Files, env: NodeJS.ProcessEnv = {}) => {
  const folder = createFolder({ ...installed, ...files });
  for (const part of ['scripts/setup.mjs', 'scripts/setup', 'libs/config/find-browser.mjs'])
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
  const { status, stdout, stderr } = runToEnd(folder, process.execPath, ['scripts/setup.mjs'], {
    PATH: join(folder, 'bin'),
    HOME: folder,
    ...env,
  });
  const readLog = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  return { status, stdout, stderr, readLog };
};

test('The set-up changes nothing and prints nothing on a machine that has everything', () => {
  const { status, stdout, stderr, readLog } = setUp({
    'bin/chromium': browser,
    'bin/fc-list': allFonts,
    'bin/id': user(0),
    'bin/apt-get': apt(),
  });
  expect({ status, stdout, stderr, apt: readLog('apt.log') }).toEqual({ status: 0, stdout: '', stderr: '', apt: '' });
});

// The shell that runs the set-up of `npm test` goes on with the Node of the machine, which may be old.
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((file) => Number(/^v(\d+)/.exec(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1]) < 24);

test.skipIf(!oldNode)('Every file of the set-up loads on the old Node of the machine', () => {
  const commands = ['download-browser', 'helm', 'test-servers'].map((name) => `scripts/setup/${name}.mjs`);
  const modules = globSync('scripts/setup/**/*.mjs', { cwd: repositoryRoot, exclude: commands });
  const script = `for (const name of ${JSON.stringify(modules)}) await import('./' + name);`;
  expect(modules.length).toBeGreaterThan(15);
  expect(runToEnd(repositoryRoot, oldNode ?? '', ['--input-type=module', '-e', script])).toMatchObject({
    status: 0,
    stderr: '',
  });
});

describe('Dependencies', () => {
  const npm =
    '#!/bin/sh\necho "$*" > "$HOME/npm.log"\necho noise\n/bin/cp "$HOME/package-lock.json" "$HOME/node_modules/.package-lock.json"\n';
  const machine = { 'bin/chromium': browser, 'bin/fc-list': allFonts, 'bin/npm': npm };

  test.each<[string, Files]>([
    ['nothing is installed', { 'node_modules/.package-lock.json': '' }],
    ['a version has changed', { 'package-lock.json': lock.replace('26.0.0', '26.1.0') }],
    [
      'a package has been added',
      { 'package-lock.json': lock.replace('"":{}', '"":{},"node_modules/zod":{"version":"4.0.0"}') },
    ],
    ['an archive has changed', { 'package-lock.json': lock.replace('"a"', '"b"') }],
  ])('are installed when %s, with progress but without the output of npm', (_when, files) => {
    const { status, stderr, readLog } = setUp({ ...machine, ...files });
    expect(status).toBe(0);
    expect(readLog('npm.log')).toMatch(/^install --no-save /);
    expect(stderr).toMatch(/Dependencies \.\.\.\n.*Dependencies: done in/);
    expect(stderr).not.toContain('noise');
  });

  test('are not installed again when only optional packages for other systems are missing', () => {
    const forOthers = lock.replace('"":{}', '"":{},"node_modules/for-macs":{"version":"1.0.0","optional":true}');
    expect(setUp({ ...machine, 'package-lock.json': forOthers }).readLog('npm.log')).toBe('');
  });

  test('that cannot be installed end the set-up with the output of npm', () => {
    const { status, stderr } = setUp({
      ...machine,
      'node_modules/.package-lock.json': '',
      'bin/npm': '#!/bin/sh\necho "npm error ENOTFOUND" >&2\nexit 1\n',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('npm error ENOTFOUND');
    expect(stderr).toContain('could not be installed');
  });

  const withoutLibrary = {
    ...machine,
    'node_modules/.package-lock.json': '',
    'bin/ldconfig': '#!/bin/sh\n/bin/cat "$HOME/libraries"\n',
    libraries: 'libc.so.6\n',
  };

  test('are installed after the library that their Node needs', () => {
    const adds = '#!/bin/sh\necho "$*" >> "$HOME/apt.log"\necho libatomic.so.1 > "$HOME/libraries"\n';
    const { status, readLog } = setUp({ ...withoutLibrary, 'bin/id': user(0), 'bin/apt-get': adds });
    expect(status).toBe(0);
    expect(readLog('apt.log')).toMatch(/ update\n[^]*install --yes --no-install-recommends libatomic1\n/);
    expect(readLog('npm.log')).not.toBe('');
  });

  test('are not installed without that library; the set-up says how to install it', () => {
    const { status, stderr, readLog } = setUp({ ...withoutLibrary, 'bin/id': user(1000) });
    expect({ status, npm: readLog('npm.log') }).toEqual({ status: 1, npm: '' });
    expect(stderr).toContain('apt-get install libatomic1');
  });

  test('that differ from the lock file after npm has run end the set-up', () => {
    const { status, stderr } = setUp({ ...machine, 'node_modules/.package-lock.json': '', 'bin/npm': '#!/bin/sh\n' });
    expect(status).toBe(1);
    expect(stderr).toContain('other packages than package-lock.json names');
  });

  test('are installed with the Node of the service when the set-up runs on an older one', async () => {
    const { installCommand } = await import(join(repositoryRoot, 'scripts/setup/dependencies.mjs'));
    expect(installCommand('20.20.2', '26.1.0').flat().join(' ')).toMatch(
      /^npx --yes .*--package node@26\.1\.0 --package npm@11 -- npm install --no-save /,
    );
    expect(installCommand('24.0.0', '26.1.0').flat().join(' ')).toMatch(/^npm install --no-save /);
  });
});

describe('Browser and fonts', () => {
  test('are installed for root on Debian, after an update of the package lists, without the output of apt', () => {
    const { status, stderr, readLog } = setUp({ 'bin/id': user(0), 'bin/apt-get': apt(), 'bin/apt-cache': offers });
    expect(status).toBe(0);
    expect(readLog('apt.log')).toMatch(
      / update\n[^]*install --yes --no-install-recommends chromium-headless-shell chromium-sandbox libnss3-tools\n/,
    );
    expect(stderr).not.toContain('noise');
  });

  test('are complete after the download of a browser on a machine without packages', () => {
    const { status, stderr } = setUp({
      'bin/fc-list': allFonts,
      'node_modules/.bin/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
      'node_modules/@puppeteer/browsers/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/@puppeteer/browsers/index.js': puppeteerBrowsers,
      downloaded: browser,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('Browser (download): done in') });
  });

  test('are complete after only the missing fonts are installed', () => {
    const { status, stderr, readLog } = setUp({
      'bin/chromium': browser,
      'bin/fc-list': someFonts,
      'bin/id': user(0),
      'bin/apt-get': apt(),
      'bin/apt-cache': offers,
    });
    expect({ status, stderr: stderr.includes('missing') }).toEqual({ status: 0, stderr: false });
    expect(readLog('apt.log')).toContain(
      'install --yes --no-install-recommends fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji\n',
    );
  });

  test('are installed with fontconfig on a machine without it', () => {
    const machine = { 'bin/chromium': browser, 'bin/id': user(0), 'bin/apt-get': apt(), 'bin/apt-cache': offers };
    expect(setUp(machine).readLog('apt.log')).toContain('fontconfig fonts-noto-core');
  });

  test('are installed although one of their packages does not exist', () => {
    const offersOthers = `#!/bin/sh\n[ "$2" = fonts-noto-cjk ] || printf '  Candidate: 1.0\\n'\n`;
    const { status, readLog } = setUp({
      'bin/chromium': browser,
      'bin/fc-list': someFonts,
      'bin/id': user(0),
      'bin/apt-get': apt(),
      'bin/apt-cache': offersOthers,
    });
    expect(status).toBe(0);
    expect(readLog('apt.log')).toContain('--no-install-recommends fonts-noto-core fonts-noto-color-emoji\n');
  });

  test('can lack fonts for a user who cannot install them: that is a warning with the command to run', () => {
    const { status, stderr, readLog } = setUp({
      'bin/chromium': browser,
      'bin/fc-list': someFonts,
      'bin/id': user(1000),
      'bin/apt-get': apt(),
    });
    expect(status).toBe(0);
    expect(readLog('apt.log')).not.toContain('install');
    expect(stderr).toMatch(
      /missing for: Devanagari, Thai, Chinese.*colour emoji.*\n?.*apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji/,
    );
  });

  test('have substitutes of the fonts of Windows and macOS', () => {
    const { stderr } = setUp({
      'bin/chromium': browser,
      'bin/fc-list': allFonts.replace(/printf 'Carlito.*\n/, ''),
      'bin/id': user(1000),
      'bin/apt-get': apt(),
    });
    expect(stderr).toMatch(/missing for: Calibri substitute\..*apt-get install fonts-crosextra-carlito/);
  });

  test('have hyphenation dictionaries beside a headless shell, which are installed once', () => {
    const folder = createFolder({ 'chromium-headless-shell': '\u007fELF' });
    const files = {
      'bin/fc-list': allFonts,
      'bin/chromium-headless-shell': `#!/bin/sh -e\n${folder}/chromium-headless-shell "$@"\n`,
      'node_modules/.bin/node': '#!/bin/sh\necho "$*" >> "$HOME/node.log"\n',
    };
    const { stderr, readLog } = setUp(files);
    expect(readLog('node.log')).toMatch(`libs/chromium/hyphenation/install.ts ${folder}\n`);
    expect(stderr).toContain('Hyphenation dictionaries: done');
    mkdirSync(join(folder, 'hyphen-data'));
    expect(setUp(files)).toMatchObject({ status: 0, stderr: '' });
  });

  test('end the set-up without a browser, with the output of apt and with advice', () => {
    const { status, stderr } = setUp({
      'bin/fc-list': allFonts,
      'bin/id': user(0),
      'bin/apt-get': apt(true),
      'bin/apt-cache': offers,
    });
    expect(status).toBe(1);
    expect(stderr).toContain('E: no space');
    expect(stderr).toMatch(
      /no browser to print with[^]*apt-get install chromium-headless-shell[^]*PUPPETEER_EXECUTABLE_PATH/,
    );
  });

  test('end the set-up when PUPPETEER_EXECUTABLE_PATH is wrong, even if another browser is installed', () => {
    const { status, stderr } = setUp(
      { 'bin/chromium': browser, 'bin/fc-list': allFonts },
      { PUPPETEER_EXECUTABLE_PATH: '/nowhere' },
    );
    expect(status).toBe(1);
    expect(stderr).toContain('PUPPETEER_EXECUTABLE_PATH is "/nowhere"');
  });
});
