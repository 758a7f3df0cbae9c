import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { renderModes } from '#contracts/render-modes.ts';
import { BrowserGone } from '../cdp/errors.ts';
import { browserExecutable } from '../testing/printing.ts';
import { openBrowserInstance } from './instance.ts';
import { hasFramelessPages, launchBrowser } from './launch.ts';
import { readGroupMemory } from './memory.ts';
import { openPage, type Page } from './page.ts';

const options = { executable: browserExecutable, renderMode: 'static', memoryMb: 1024 } as const;
let scratch: string;
beforeAll(async () => void (scratch = await mkdtemp(join(tmpdir(), 'launch-test-'))));
afterAll(() => rm(scratch, { recursive: true }));

const folderOf = async (processGroup: number) => {
  const command = await readFile(`/proc/${processGroup}/cmdline`, 'utf8');
  return /--user-data-dir=([^\0]+)/.exec(command)![1]!;
};
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
const gone = 'gone';
const readOfProcess = (pid: number, file: 'status' | 'cmdline') =>
  readFile(`/proc/${pid}/${file}`, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return gone;
    throw error;
  });

test('a browser ends also when its folder cannot be removed', async () => {
  const folder = join(scratch, 'folders');
  await mkdir(folder, { mode: 0o755 });
  await chmod(scratch, 0o755);
  const { TMPDIR } = process.env;
  onTestFinished(() => void (TMPDIR === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = TMPDIR)));
  process.env['TMPDIR'] = folder;
  const browser = await launchBrowser(options);
  await rename(folder, `${folder}-moved`);
  await writeFile(folder, 'no folder any more');
  await browser.close();
  await expect.poll(() => readGroupMemory(new Set([browser.processGroup]))).toEqual([]);
});

test('pages run inside the sandbox, no process runs as root, and a closed browser leaves no process and no folder', async () => {
  const browser = await launchBrowser(options);
  await openPage(browser, { scripts: 'off', network: 'none' });
  const processes = await readGroupMemory(new Set([browser.processGroup]));
  const renderers = processes.filter(({ isRenderer }) => isRenderer);
  for (const { pid } of renderers) {
    // A renderer that was just started has no filter yet.
    await expect.poll(() => readOfProcess(pid, 'status')).toMatch(/^Seccomp:\s+2$|^gone$/m);
    expect(await readOfProcess(pid, 'cmdline')).not.toContain('--no-sandbox');
  }
  for (const { pid } of processes) expect(await readOfProcess(pid, 'status')).not.toMatch(/^Uid:.*\b0\b/m);
  const left = await Promise.all(renderers.map(({ pid }) => readOfProcess(pid, 'status')));
  expect(left.filter((status) => status !== gone).length).toBeGreaterThan(0);

  const folder = await folderOf(browser.processGroup);
  expect(await exists(folder)).toBe(true);
  await browser.close();
  expect(await exists(folder)).toBe(false);
  await expect.poll(() => readGroupMemory(new Set([browser.processGroup]))).toEqual([]);
});

test.each(renderModes)(
  'a browser (%s) starts with one page at the size of the paper, in a window that shows almost none of it',
  async (renderMode) => {
    const { browser } = await openBrowserInstance({ ...options, renderMode, reusablePages: 3, documentsPerPage: 10 });
    onTestFinished(() => browser.close());
    const { targetInfos } = await browser.devtools.send('Target.getTargets');
    expect(targetInfos.filter(({ type }) => type === 'page')).toHaveLength(1);
    expect(browser.framelessPages, 'screen frames only if it is animated').toBe(renderMode !== 'animated');
    const { session, viewport } = await openPage(browser, { scripts: 'on', network: 'none' });
    const expression = '({ width: innerWidth, height: innerHeight, windowHeight: outerHeight })';
    const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true });
    expect(result.value).toEqual({ ...viewport, windowHeight: 1 });
  },
);

test('a reusable page is used again until its last document, or a slow one, which takes long to remove', async () => {
  const settings = { ...options, renderMode: 'static', reusablePages: 1, documentsPerPage: 10 } as const;
  let now = 0;
  const { browser, withReusablePage } = await openBrowserInstance({ ...settings, now: () => now });
  onTestFinished(() => browser.close());
  const print = ({ isLast = false, ms = 1_000 } = {}): Promise<Page> =>
    withReusablePage(async (page) => ((now += ms), page), { isLast });
  const first = await print();
  expect(await print({ isLast: true, ms: 10 })).toBe(first);
  const second = await print();
  expect(second).not.toBe(first);
  expect(await print({ ms: 1_001 })).toBe(second);
  expect(await print()).not.toBe(second);
  await expect.poll(() => [first.alive, second.alive]).toEqual([false, false]);
});

test('a document takes a page that is open rather than one that is still opening', async () => {
  const settings = { ...options, renderMode: 'static', reusablePages: 2, documentsPerPage: 10 } as const;
  const { browser, withReusablePage } = await openBrowserInstance(settings);
  onTestFinished(() => browser.close());
  const end = Promise.withResolvers<void>();
  const last = withReusablePage(() => end.promise, { isLast: true });
  const opened = await withReusablePage(async (page) => page);
  end.resolve();
  await last;
  expect(await withReusablePage(async (page) => page)).toBe(opened);
});

test('only the headless shell has pages without screen frames', () => {
  const products = ['HeadlessChrome/156.0.8078.108', 'Chrome/156.0.8078.108', 'Chromium/156.0.8078.108'];
  expect(products.map(hasFramelessPages)).toEqual([true, false, false]);
});

/** A zygote ends with the one that has started it. */
const sendSignal = (pid: number, signal: string): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

test.each(['SIGSTOP', 'SIGKILL'])('a browser that opens no more pages is killed (%s)', async (signal) => {
  const settings = { ...options, renderMode: 'scripted', reusablePages: 0, documentsPerPage: 10 } as const;
  const { browser, withSingleUsePage } = await openBrowserInstance({ ...settings, pageTimeoutMs: 1_000 });
  onTestFinished(() => browser.kill());
  for (const { pid } of await readGroupMemory(new Set([browser.processGroup])))
    if ((await readOfProcess(pid, 'cmdline')).includes('--type=zygote')) sendSignal(pid, signal);
  const takePage = (): Promise<unknown> =>
    withSingleUsePage({ scripts: 'on', network: 'none' }, async () => null).catch((error: unknown) => error);
  // The first ones were opened, or prepared, before.
  await expect.poll(takePage).toBeInstanceOf(BrowserGone);
  await browser.ended;
});

test('a browser whose page is killed while it opens keeps its documents', async () => {
  const settings = { ...options, renderMode: 'scripted', reusablePages: 0, documentsPerPage: 10 } as const;
  const { browser, withSingleUsePage } = await openBrowserInstance(settings);
  onTestFinished(() => browser.kill());
  const pids = async () => new Set((await readGroupMemory(new Set([browser.processGroup]))).map(({ pid }) => pid));
  const takePage = (): Promise<string> =>
    withSingleUsePage({ scripts: 'on', network: 'none' }, async () => 'printed').catch(String);
  for (let round = 0; round < 5; round += 1) {
    const before = await pids();
    const taken = takePage();
    let opening: number[] = [];
    const findOpening = async () => (opening = [...(await pids()).difference(before)]);
    await expect.poll(findOpening, { interval: 1 }).not.toEqual([]);
    for (const pid of opening) process.kill(pid, 'SIGKILL');
    expect(await taken).toBe('printed');
    // It opens another page in place of the killed one, which must not be killed too.
    expect(await takePage()).toBe('printed');
  }
});

test('a browser ends and its folder is removed when the service is killed', async () => {
  const code = `const { launchBrowser } = await import(${JSON.stringify(new URL('./launch.ts', import.meta.url).href)});
    const browser = await launchBrowser(${JSON.stringify(options)}); console.log(browser.processGroup); setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const processGroup = await new Promise<number>((resolve) =>
    service.stdout.once('data', (line: Buffer) => resolve(Number(line.toString()))),
  );
  const folder = await folderOf(processGroup);
  service.kill('SIGKILL');
  await expect.poll(() => readGroupMemory(new Set([processGroup]))).toEqual([]);
  await expect.poll(() => exists(folder)).toBe(false);
});

const writeStandInBrowser = async (name: string, script: string) => {
  const path = join(scratch, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(scratch, 0o755);
  await chmod(path, 0o755);
  return path;
};

test('a machine without a sandbox fails the start with a remedy', async () => {
  const path = await writeStandInBrowser('sandless', 'echo "FATAL: No usable sandbox! Update your kernel" >&2; exit 1');
  await expect(launchBrowser({ ...options, executable: path })).rejects.toThrow(
    /sandbox cannot start.*kernel\.unprivileged_userns_clone/s,
  );
});

test('a browser that does not start fails with its own error output', async () => {
  const path = await writeStandInBrowser('broken', 'echo "libnss3.so: cannot open shared object file" >&2; exit 127');
  await expect(launchBrowser({ ...options, executable: path })).rejects.toThrow(
    /broken did not start as a browser.*libnss3\.so/,
  );
  await expect(launchBrowser({ ...options, executable: '/nowhere/at/all' })).rejects.toThrow(
    /\/nowhere\/at\/all did not start/,
  );
});

test('a browser that runs but does not respond is killed and reported as not started', async () => {
  const path = await writeStandInBrowser('silent', 'exec sleep 600');
  await expect(launchBrowser({ ...options, executable: path, startTimeoutMs: 100 })).rejects.toThrow(
    /silent did not start as a browser/,
  );
});

test('a hanging browser is killed when it is closed', async () => {
  const browser = await launchBrowser(options);
  process.kill(-browser.processGroup, 'SIGSTOP');
  await browser.close();
  await expect.poll(() => readGroupMemory(new Set([browser.processGroup]))).toEqual([]);
});

test('a page that fails to open leaves no browser context behind', async () => {
  const browser = await launchBrowser(options);
  const contexts = async () => (await browser.devtools.send('Target.getBrowserContexts')).browserContextIds.length;
  const before = await contexts();
  const refusing = (method: string): typeof browser => ({
    ...browser,
    devtools: {
      ...browser.devtools,
      send: (name, ...parameters) =>
        name === method ? Promise.reject(new Error('refused')) : browser.devtools.send(name, ...parameters),
    },
  });
  for (const method of ['Target.createTarget', 'Target.attachToTarget', 'Browser.setDownloadBehavior']) {
    await expect(openPage(refusing(method), { scripts: 'off', network: 'none' })).rejects.toThrow('refused');
  }
  await expect.poll(contexts).toBe(before);
  await browser.close();
});

test('a failed start leaves no folder behind', async () => {
  const browserFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('colophon-browser-'));
  const path = await writeStandInBrowser('ends', 'echo "$@" | grep -o "user-data-dir=[^ ]*" >&2; exit 1');
  const error = await launchBrowser({ ...options, executable: path }).catch((reason: unknown) => reason as Error);
  const folder = /colophon-browser-\w+/.exec((error as Error).message)![0];
  expect(await browserFolders()).not.toContain(folder);
});
