import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { connect, type Session } from '#libs/chromium/cdp/connection.ts';
import { childUser, giveToChildUser } from '#libs/processes/processes.ts';

/** Flags that allow a page to reach the network only through the proxy. */
export const proxyFlags = (proxyUrl: string): string[] => [
  `--proxy-server=${proxyUrl}`,
  '--proxy-bypass-list=<-loopback>',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
];

export type TestBrowser = {
  /** Opens a page. The result sends a DevTools command to it. A page with a proxy has its own browser context. */
  openPage: (proxyServer?: string) => Promise<Session['send']>;
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

/** Starts a browser in its own folder and process group; as the user `nobody` where the tests run as root. */
export const startTestBrowser = async (executable: string, flags: string[]): Promise<TestBrowser> => {
  const folder = mkdtempSync(join(tmpdir(), 'egress-browser-'));
  await giveToChildUser(folder);
  const child = spawn(executable, [...baseFlags, ...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    detached: true,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder },
    ...childUser(),
  });
  const exited = once(child, 'exit');
  const devtools = connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
  await devtools.send('Browser.getVersion');
  return {
    openPage: async (proxyServer) => {
      const context =
        proxyServer &&
        (await devtools.send('Target.createBrowserContext', { proxyServer, proxyBypassList: '<-loopback>' }));
      const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', ...context });
      const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
      const session = devtools.session(sessionId);
      return (...command) => session.send(...command);
    },
    close: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
