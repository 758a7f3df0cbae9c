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

/** The browser for the tests: PUPPETEER_EXECUTABLE_PATH, else the first known browser on PATH. */
export const findTestBrowser = (): string | undefined =>
  [
    process.env['PUPPETEER_EXECUTABLE_PATH'] ?? '',
    ...(process.env['PATH'] ?? '').split(delimiter).flatMap((folder) => browserNames.map((name) => join(folder, name))),
  ].find(isExecutable);

/** Flags that allow a page to reach the network only through the proxy. */
export const proxyFlags = (proxyUrl: string): string[] => [
  `--proxy-server=${proxyUrl}`,
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

export type TestBrowser = {
  /** Opens a page. The result sends a DevTools command to it. A page with a proxy has its own browser context. */
  openPage: (proxyServer?: string) => Promise<(method: string, params?: object) => Promise<Record<string, unknown>>>;
  close: () => Promise<void>;
};

// The browser's own protection of local networks is off, so that only egress is tested.
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
  const pending = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  let rest = '';
  let last = 0;
  const handleMessage = (message: string) => {
    const { id, result, error } = JSON.parse(message);
    const call = pending.get(id);
    pending.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  };
  read.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    messages.forEach(handleMessage);
  });
  read.once('close', () => pending.forEach(({ reject }) => reject(new Error('The browser exited.'))));
  return (method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      pending.set(++last, { resolve, reject });
      write.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
};

/** Starts a browser in its own folder and process group; as user nobody where the tests run as root. */
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
      const context =
        proxyServer && (await send('Target.createBrowserContext', { proxyServer, proxyBypassList: '<-loopback>' }));
      const { targetId } = await send('Target.createTarget', { url: 'about:blank', ...context });
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
