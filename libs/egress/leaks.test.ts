import { describe, expect, test } from 'vitest';
import { openEgress, type Egress } from './egress.ts';
import { proxyFlags, findTestBrowser, startTestBrowser, type TestBrowser } from './testing/browser.ts';
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

const executable = findTestBrowser();
if (!executable)
  console.warn('No browser found, so the ways out of a page stay untried; PUPPETEER_EXECUTABLE_PATH may name one.');

type LeakAttempt = { vector: LeakVector; sentinel: TrafficRecorder; host: string };
type Page = Awaited<ReturnType<TestBrowser['openPage']>>;
type LoadPage = (page: Page, site: TestServer, html: string) => Promise<unknown>;

const prepare = async (): Promise<{ attempts: LeakAttempt[]; html: string; site: TestServer }> => {
  const sentinels = await Promise.all(leakVectors.map(() => closeAfterTest(startTrafficRecorder())));
  const attempts = leakVectors.map((vector, i) => ({
    vector,
    sentinel: sentinels[i]!,
    host: `127.0.0.1:${sentinels[i]!.port}`,
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

/** Localhost counts as secure, so that the ways which need a secure origin are open too. */
const loadFromServer: LoadPage = (page, site) => page('Page.navigate', { url: `http://localhost:${site.port}/` });

const waitUntilIdle = async (page: Page) => {
  const ask = { expression: 'window.settled', awaitPromise: true, returnByValue: true };
  await expect
    .poll(async () => page('Runtime.evaluate', ask).catch(() => undefined), { timeout: 20_000 })
    .toMatchObject({ result: { value: 'settled' } });
};

const receivedTraffic = ({ sentinel: { received: count } }: LeakAttempt) => count().tcp + count().udp > 0;
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

/** The ways that this browser really has, found by trying them without the door. */
const findLeaks = async (show: LoadPage): Promise<string[]> => {
  const { attempts, html, site } = await prepare();
  const page = await start([]);
  await show(page, site, html);
  const hear = (names: string[]) =>
    expect
      .poll(() => namesOf(attempts.filter(receivedTraffic)), { timeout: 20_000 })
      .toEqual(expect.arrayContaining(names));
  await hear(expectedLeaks);
  await page('Page.printToPDF');
  await hear(['css background in print alone']);
  return namesOf(attempts.filter(receivedTraffic));
};

describe.skipIf(!executable)('a page that tries every way out', () => {
  test.each([
    ['handed over to the browser', loadFromContent],
    ['served from a secure origin', loadFromServer],
  ])('and is %s reaches nothing, and is refused wherever it knocks', { timeout: 90_000 }, async (_how, show) => {
    const ways = await findLeaks(show);
    const { attempts, html, site } = await prepare();
    const refused = new Set<unknown>();
    const egress: Egress = await closeAfterTest(
      openEgress({ allowList: [`localhost:${site.port}`], logger: { warn: ({ port }) => void refused.add(port) } }),
    );
    // As the service does it: the browser itself has no way out, and each document has a proxy of its own.
    const page = await start(proxyFlags('http://127.0.0.1:1'), (await egress.openProxy()).url);
    await show(page, site, html);
    await waitUntilIdle(page);
    await page('Page.printToPDF');

    const mustKnock = attempts.filter(
      ({ vector }) =>
        vector.protocol === 'tcp' && ways.includes(vector.name) && !speculativeVectors.includes(vector.name),
    );
    await expect
      .poll(() => namesOf(mustKnock.filter(({ sentinel: { port } }) => !refused.has(port))), { timeout: 20_000 })
      .toEqual([]);
    expect(namesOf(attempts.filter(receivedTraffic))).toEqual([]);
  });
});
