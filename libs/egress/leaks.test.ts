import { describe, expect, test } from 'vitest';
import { openEgress, type Egress } from './door.ts';
import { behind, findBrowser, startBrowser, type TestBrowser } from './fixtures/browser.ts';
import { kept } from './fixtures/kept.ts';
import { httpServer, type Listening } from './fixtures/listening.ts';
import { sentinel, type Sentinel } from './fixtures/sentinels.ts';
import { pageOf, serviceWorker, speculative, waysOut, type WayOut } from './fixtures/ways-out.ts';

const executable = findBrowser();
if (!executable) console.warn('No browser found, so the ways out of a page stay untried; PUPPETEER_EXECUTABLE_PATH may name one.');

type Attempt = { way: WayOut; sentinel: Sentinel; host: string };
type Page = Awaited<ReturnType<TestBrowser['page']>>;
type Show = (page: Page, site: Listening, html: string) => Promise<unknown>;

const prepare = async (): Promise<{ attempts: Attempt[]; html: string; site: Listening }> => {
  const sentinels = await Promise.all(waysOut.map(() => kept(sentinel())));
  const attempts = waysOut.map((way, i) => ({ way, sentinel: sentinels[i]!, host: `127.0.0.1:${sentinels[i]!.port}` }));
  const html = pageOf(attempts);
  const site = await kept(
    httpServer((request, response) => {
      const script = request.url?.startsWith('/service-worker.js');
      response.writeHead(200, { 'content-type': script ? 'text/javascript' : 'text/html' }).end(script ? serviceWorker : html);
    }),
  );
  return { attempts, html, site };
};

const handedOver: Show = async (page, _site, html) => {
  const { frameTree } = (await page('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  return page('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
};

/** Localhost counts as secure, so that the ways which need a secure origin are open too. */
const served: Show = (page, site) => page('Page.navigate', { url: `http://localhost:${site.port}/` });

const settle = async (page: Page) => {
  const ask = { expression: 'window.settled', awaitPromise: true, returnByValue: true };
  await expect.poll(async () => page('Runtime.evaluate', ask).catch(() => undefined), { timeout: 20_000 }).toMatchObject({ result: { value: 'settled' } });
};

const heard = ({ sentinel: { heard: count } }: Attempt) => count().tcp + count().udp > 0;
const namesOf = (attempts: Attempt[]) => attempts.map(({ way }) => way.name);
const start = async (flags: string[], proxy?: string): Promise<Page> => {
  const page = await (await kept(startBrowser(executable ?? '', flags))).page(proxy);
  await page('Page.enable');
  return page;
};

const everyBrowserHas = [
  'img', 'img over https', 'css @import', 'css font', 'script element', 'iframe', 'form', 'meta refresh', 'window.open', 'fetch', 'XMLHttpRequest',
  'sendBeacon', 'EventSource', 'WebSocket', 'worker fetch', 'WebRTC STUN', 'WebRTC TURN over UDP', 'WebRTC TURN over TCP', 'img at localhost', 'img at 2130706433',
];

/** The ways that this browser really has, found by trying them without the door. */
const openWays = async (show: Show): Promise<string[]> => {
  const { attempts, html, site } = await prepare();
  const page = await start([]);
  await show(page, site, html);
  const hear = (names: string[]) => expect.poll(() => namesOf(attempts.filter(heard)), { timeout: 20_000 }).toEqual(expect.arrayContaining(names));
  await hear(everyBrowserHas);
  await page('Page.printToPDF');
  await hear(['css background in print alone']);
  return namesOf(attempts.filter(heard));
};

describe.skipIf(!executable)('a page that tries every way out', () => {
  test.each([
    ['handed over to the browser', handedOver],
    ['served from a secure origin', served],
  ])('and is %s reaches nothing, and is refused wherever it knocks', { timeout: 90_000 }, async (_how, show) => {
    const ways = await openWays(show);
    const { attempts, html, site } = await prepare();
    const refused = new Set<unknown>();
    const egress: Egress = await kept(openEgress({ allow: [`localhost:${site.port}`], log: { warn: ({ port }) => void refused.add(port) } }));
    // As the service does it: the browser itself has no way out, and each document has a proxy of its own.
    const page = await start(behind('http://127.0.0.1:1'), (await egress.openProxy()).url);
    await show(page, site, html);
    await settle(page);
    await page('Page.printToPDF');

    const mustKnock = attempts.filter(({ way }) => way.by === 'tcp' && ways.includes(way.name) && !speculative.includes(way.name));
    await expect.poll(() => namesOf(mustKnock.filter(({ sentinel: { port } }) => !refused.has(port))), { timeout: 20_000 }).toEqual([]);
    expect(namesOf(attempts.filter(heard))).toEqual([]);
  });
});
