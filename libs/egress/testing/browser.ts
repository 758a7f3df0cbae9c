import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chownSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const browserNames = ['chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'google-chrome'];

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The browser to try with: PUPPETEER_EXECUTABLE_PATH, else the first of the usual names on the PATH. */
export const findTestBrowser = (): string | undefined =>
  [
    process.env['PUPPETEER_EXECUTABLE_PATH'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => browserNames.map((name) => join(folder, name))),
  ].find(isExecutable);

/** The four that keep a page from the network but by the proxy. */
export const proxyFlags = (proxyUrl: string): string[] => [
  `--proxy-server=${proxyUrl}`,
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

export type TestBrowser = {
  /** A new page's own line: sends a DevTools command and gives its result. A page with a proxy is in a browser context of its own. */
  openPage: (proxyServer?: string) => Promise<(method: string, params?: object) => Promise<Record<string, unknown>>>;
  close: () => Promise<void>;
};

// The browser's own guard of local networks is off, so that nothing but the door is tried.
const baseFlags = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-popup-blocking',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
];

const connectDevTools = (write: Writable, read: Readable) => {
  const waiting = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  let rest = '';
  let last = 0;
  const hear = (message: string) => {
    const { id, result, error } = JSON.parse(message);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  };
  read.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    messages.forEach(hear);
  });
  read.once('close', () => waiting.forEach(({ reject }) => reject(new Error('The browser has ended.'))));
  return (method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      write.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
};

/** Starts a browser in a folder and process group of its own, unprivileged where the tests run as root. */
export const startTestBrowser = async (executable: string, flags: string[]): Promise<TestBrowser> => {
  const folder = mkdtempSync(join(tmpdir(), 'egress-browser-'));
  const asRoot = process.getuid?.() === 0;
  const nobody = 65534;
  if (asRoot) chownSync(folder, nobody, nobody);
  const child = spawn(executable, [...baseFlags, ...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    detached: true,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder },
    ...(asRoot ? { uid: nobody, gid: nobody } : {}),
  });
  const exited = once(child, 'exit');
  const send = connectDevTools(child.stdio[3] as Writable, child.stdio[4] as Readable);
  await send('Browser.getVersion');
  return {
    openPage: async (proxyServer) => {
      const behindIt =
        proxyServer && (await send('Target.createBrowserContext', { proxyServer, proxyBypassList: '<-loopback>' }));
      const { targetId } = await send('Target.createTarget', { url: 'about:blank', ...behindIt });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return (method, params) => send(method, params, String(sessionId));
    },
    close: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
