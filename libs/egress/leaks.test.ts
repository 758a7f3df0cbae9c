import { describe, expect, test } from 'vitest';
import { findBrowser } from '#libs/config/find-browser.mjs';
import { openEgress, type Egress } from './egress.ts';
import { proxyFlags, startTestBrowser, type TestBrowser } from './testing/browser.ts';
import { closeAfterTest } from './testing/test-egress.ts';
import { startHttpServer, type TestServer } from './testing/test-servers.ts';
import { startTrafficRecorder, type TrafficRecorder } from './testing/traffic-recorder.ts';
import {
  leakPage,
  serviceWorkerScript,
  speculativeVectors,
  leakVectors,
  type LeakVector,
} from './testing/leak-vectors.ts';

const executable = findBrowser(process.env);
if (!executable)
  console.warn('No browser found: the leak tests are skipped. Set PUPPETEER_EXECUTABLE_PATH to a browser.');

type LeakAttempt = { vector: LeakVector; recorder: TrafficRecorder; host: string };
type Page = Awaited<ReturnType<TestBrowser['openPage']>>;
type LoadPage = (page: Page, site: TestServer, html: string) => Promise<unknown>;

const prepare = async (): Promise<{ attempts: LeakAttempt[]; html: string; site: TestServer }> => {
  const recorders = await Promise.all(leakVectors.map(() => closeAfterTest(startTrafficRecorder())));
  const attempts = leakVectors.map((vector, i) => ({
    vector,
    recorder: recorders[i]!,
    host: `127.0.0.1:${recorders[i]!.port}`,
  }));
  const html = leakPage(attempts);
  const site = await closeAfterTest(
    startHttpServer((request, response) => {
      const script = request.url?.startsWith('/service-worker.js');
      response
        .writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' })
        .end(script ? serviceWorkerScript : html);
    }),
  );
  return { attempts, html, site };
};

const loadFromContent: LoadPage = async (page, _site, html) => {
  const { frameTree } = (await page('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  return page('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
};

/** localhost is a secure origin, so vectors that need one work too. */
const loadFromServer: LoadPage = (page, site) => page('Page.navigate', { url: `http://localhost:${site.port}/` });

const waitUntilIdle = async (page: Page) => {
  const evaluation = { expression: 'window.settled', awaitPromise: true, returnByValue: true };
  await expect
    .poll(async () => page('Runtime.evaluate', evaluation).catch(() => undefined))
    .toMatchObject({ result: { value: 'settled' } });
};

const receivedTraffic = ({ recorder: { received: count } }: LeakAttempt) => count().tcp + count().udp > 0;
const namesOf = (attempts: LeakAttempt[]) => attempts.map(({ vector }) => vector.name);
const start = async (flags: string[], proxy?: string): Promise<Page> => {
  const page = await (await closeAfterTest(startTestBrowser(executable ?? '', flags))).openPage(proxy);
  await page('Page.enable');
  return page;
};

const expectedLeaks = [
  'img',
  'img over https',
  'css @import',
  'css font',
  'script element',
  'iframe',
  'form',
  'meta refresh',
  'window.open',
  'fetch',
  'XMLHttpRequest',
  'sendBeacon',
  'EventSource',
  'WebSocket',
  'worker fetch',
  'WebRTC STUN',
  'WebRTC TURN over UDP',
  'WebRTC TURN over TCP',
  'img at localhost',
  'img at 2130706433',
];

/** The leak vectors that work in this browser without egress. */
const findLeaks = async (load: LoadPage): Promise<string[]> => {
  const { attempts, html, site } = await prepare();
  const page = await start([]);
  await load(page, site, html);
  const expectTraffic = (names: string[]) =>
    expect.poll(() => namesOf(attempts.filter(receivedTraffic))).toEqual(expect.arrayContaining(names));
  await expectTraffic(expectedLeaks);
  await page('Page.printToPDF');
  await expectTraffic(['css background in print alone']);
  return namesOf(attempts.filter(receivedTraffic));
};

describe.skipIf(!executable)('A page that tries every leak vector', () => {
  test.each([
    ['given to the browser as content', loadFromContent],
    ['served from a secure origin', loadFromServer],
  ])('and is %s reaches nothing, and every attempt is blocked', async (_how, load) => {
    const vectors = await findLeaks(load);
    const { attempts, html, site } = await prepare();
    const blockedPorts = new Set<unknown>();
    const egress: Egress = await closeAfterTest(
      openEgress({
        allowList: [`localhost:${site.port}`],
        logger: { warn: ({ port }) => void blockedPorts.add(port) },
      }),
    );
    // As in the service: the browser has no network access, and each document has its own proxy.
    const page = await start(proxyFlags('http://127.0.0.1:1'), (await egress.openProxy()).url);
    await load(page, site, html);
    await waitUntilIdle(page);
    await page('Page.printToPDF');

    const mustBeBlocked = attempts.filter(
      ({ vector }) =>
        vector.protocol === 'tcp' && vectors.includes(vector.name) && !speculativeVectors.includes(vector.name),
    );
    await expect
      .poll(() => namesOf(mustBeBlocked.filter(({ recorder: { port } }) => !blockedPorts.has(port))), {
        timeout: 60_000,
      })
      .toEqual([]);
    expect(namesOf(attempts.filter(receivedTraffic))).toEqual([]);
  });
});
