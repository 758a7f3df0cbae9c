import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserExecutable } from '../testing/printing.ts';
import { launchBrowser } from './launch.ts';
import { readGroupMemory } from './memory.ts';
import { openPage } from './page.ts';

const settings = { executable: browserExecutable, renderMode: 'static', memoryMb: 1024 } as const;
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
const statusOf = (pid: number) => readFile(`/proc/${pid}/status`, 'latin1');

test('pages run inside the sandbox, and nothing of the browser as root', async () => {
  const browser = await launchBrowser(settings);
  await openPage(browser, { scripts: 'off', network: 'none' });
  const processes = await readGroupMemory(new Set([browser.processGroup]));
  const renderers = processes.filter(({ isRenderer }) => isRenderer);
  expect(renderers.length).toBeGreaterThan(0);
  for (const { pid } of renderers) {
    expect(await statusOf(pid)).toMatch(/^Seccomp:\s+2$/m);
    expect(await readFile(`/proc/${pid}/cmdline`, 'latin1')).not.toContain('--no-sandbox');
  }
  for (const { pid } of processes) expect(await statusOf(pid)).not.toMatch(/^Uid:.*\b0\b/m);
  await browser.close();
});

test('nothing is left of a closed browser: no process, no folder', async () => {
  const browser = await launchBrowser(settings);
  const folder = await folderOf(browser.processGroup);
  expect(await exists(folder)).toBe(true);
  await browser.close();
  expect(await exists(folder)).toBe(false);
  await expect.poll(() => readGroupMemory(new Set([browser.processGroup])), { timeout: 10_000 }).toEqual([]);
});

test('a browser ends, and its folder goes, when the service is ended without a chance to do it', async () => {
  const code = `const { launchBrowser } = await import(${JSON.stringify(new URL('./launch.ts', import.meta.url).href)});
    const browser = await launchBrowser(${JSON.stringify(settings)}); console.log(browser.processGroup); setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const processGroup = await new Promise<number>((resolve) =>
    service.stdout.once('data', (line: Buffer) => resolve(Number(line.toString()))),
  );
  const folder = await folderOf(processGroup);
  service.kill('SIGKILL');
  await expect.poll(() => readGroupMemory(new Set([processGroup])), { timeout: 20_000 }).toEqual([]);
  await expect.poll(() => exists(folder), { timeout: 20_000 }).toBe(false);
});

const fakeBrowser = async (name: string, script: string) => {
  const path = join(scratch, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(scratch, 0o755);
  await chmod(path, 0o755);
  return path;
};

test('a machine that has no sandbox is told so, with the remedy', async () => {
  const path = await fakeBrowser('sandless', 'echo "FATAL: No usable sandbox! Update your kernel" >&2; exit 1');
  await expect(launchBrowser({ ...settings, executable: path })).rejects.toThrow(
    /sandbox cannot start.*kernel\.unprivileged_userns_clone/s,
  );
});

test('a browser that does not start says what it said', async () => {
  const path = await fakeBrowser('broken', 'echo "libnss3.so: cannot open shared object file" >&2; exit 127');
  await expect(launchBrowser({ ...settings, executable: path })).rejects.toThrow(
    /broken did not start as a browser.*libnss3\.so/,
  );
  await expect(launchBrowser({ ...settings, executable: '/nowhere/at/all' })).rejects.toThrow(
    /\/nowhere\/at\/all did not start/,
  );
});

test('a browser that runs and never answers is ended, and is told of as one that did not start', async () => {
  const path = await fakeBrowser('silent', 'exec sleep 600');
  await expect(launchBrowser({ ...settings, executable: path, startTimeoutMs: 100 })).rejects.toThrow(
    /silent did not start as a browser/,
  );
});

test('a browser that hangs is ended when it is closed', async () => {
  const browser = await launchBrowser(settings);
  process.kill(-browser.processGroup, 'SIGSTOP');
  await browser.close();
  await expect.poll(() => readGroupMemory(new Set([browser.processGroup])), { timeout: 10_000 }).toEqual([]);
});

test('a page that cannot be opened leaves no context behind', async () => {
  const browser = await launchBrowser(settings);
  const contexts = async () => (await browser.devtools.send('Target.getBrowserContexts')).browserContextIds.length;
  const before = await contexts();
  const refusing = (method: string): typeof browser => ({
    ...browser,
    devtools: {
      ...browser.devtools,
      send: (name, ...given) =>
        name === method ? Promise.reject(new Error('refused')) : browser.devtools.send(name, ...given),
    },
  });
  for (const method of ['Target.createTarget', 'Target.attachToTarget', 'Browser.setDownloadBehavior']) {
    await expect(openPage(refusing(method), { scripts: 'off', network: 'none' })).rejects.toThrow('refused');
  }
  await expect.poll(contexts).toBe(before);
  await browser.close();
});

test('failed starts leave no folder behind', async () => {
  const own = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('colophon-browser-'));
  const path = await fakeBrowser('ends', 'echo "$@" | grep -o "user-data-dir=[^ ]*" >&2; exit 1');
  const error = await launchBrowser({ ...settings, executable: path }).catch((reason: unknown) => reason as Error);
  const folder = /colophon-browser-\w+/.exec((error as Error).message)![0];
  expect(await own()).not.toContain(folder);
});
