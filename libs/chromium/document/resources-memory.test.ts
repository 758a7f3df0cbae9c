import { expect, test } from 'vitest';
import { heapBytes, openSimulatedPage } from '../testing/simulated-page.ts';
import { trackResources } from './resources.ts';

const longUrl = (scheme: string, index: number): string => scheme + index + Buffer.alloc(1_000_000, 'x').toString();

test.each([
  ['that end', 'data:text/plain,', 'Fetch', true],
  ['of a host', 'http://a.example/', 'Fetch', false],
  ['of images that cannot be loaded', 'http://a.example/', 'Image', true],
])('the long URLs of requests %s take no memory', async (_, scheme, type, fails) => {
  const { session, answer, send } = openSimulatedPage();
  const tracking = trackResources(session, undefined);
  answer(1);
  await tracking;
  const received = { count: 0 };
  session.on('Network.requestWillBeSent', () => (received.count += 1));
  const before = heapBytes();
  for (let index = 0; index < 100; index += 1) {
    send('Network.requestWillBeSent', { requestId: String(index), request: { url: longUrl(scheme, index) }, type });
    if (fails) send('Network.loadingFailed', { requestId: String(index), type, errorText: 'net::ERR_FAILED' });
  }
  await expect.poll(() => received.count).toBe(100);
  // A heap with all URLs would be 100 MB larger.
  await expect.poll(() => (heapBytes() - before) / 2 ** 20).toBeLessThan(30);
});

test('of requests without end, the first 10,000 are known', async () => {
  const { session, answer, send } = openSimulatedPage();
  const tracking = trackResources(session, undefined);
  answer(1);
  const tracker = await tracking;
  const request = (id: number) =>
    send('Network.requestWillBeSent', {
      requestId: String(id),
      request: { url: `http://a.example/${id}` },
      type: 'Fetch',
    });
  const fail = (id: number) =>
    send('Network.loadingFailed', { requestId: String(id), type: 'Fetch', errorText: 'net::ERR_FAILED' });
  for (let id = 0; id < 10_010; id += 1) request(id);
  for (const id of [10_005, 3, 3]) fail(id);
  // An ended request makes room for another one.
  request(20_000);
  fail(20_000);
  const checking = tracker.checkFailures();
  answer(2, { result: { type: 'object', value: [] } });
  const reason = 'the request failed (ERR_FAILED)';
  expect(await checking).toEqual(
    [3, 20_000].map((id) => ({ kind: 'resource_failed', url: `http://a.example/${id}`, reason })),
  );
});

test('of failures, the first 50 and the first image are kept', async () => {
  const { session, answer, send } = openSimulatedPage();
  const tracking = trackResources(session, undefined);
  answer(1);
  const tracker = await tracking;
  const fail = (id: number, type: string): void => {
    const request = { url: `http://a.example/${id}` };
    send('Network.requestWillBeSent', { requestId: String(id), request, type });
    send('Network.loadingFailed', { requestId: String(id), type, errorText: 'net::ERR_FAILED' });
  };
  const check = (id: number) => {
    const checking = tracker.checkFailures();
    answer(id, { result: { type: 'object', value: [] } });
    return checking;
  };
  for (let id = 0; id < 60; id += 1) fail(id, 'Stylesheet');
  expect(await check(2)).toHaveLength(50);
  for (const id of [60, 61]) fail(id, 'Image');
  await expect(check(3)).rejects.toMatchObject({ fields: { extra: { image_url: 'http://a.example/60' } } });
});

test('any number of images that have ended leave room for others, and images are counted beside endless requests', async () => {
  const { session, answer, send } = openSimulatedPage();
  const tooMany: unknown[] = [];
  const page = { frameId: 'main', maxImages: 20_000 };
  const tracking = trackResources(session, undefined, (error) => void tooMany.push(error), page);
  answer(1);
  const tracker = await tracking;
  const request = (id: number, type: string): void =>
    send('Network.requestWillBeSent', { requestId: String(id), request: { url: `http://a.example/${id}` }, type });
  for (let id = 0; id < 10_001; id += 1) {
    request(id, 'Image');
    send('Network.loadingFinished', { requestId: String(id) });
  }
  request(10_001, 'Image');
  send('Network.loadingFailed', { requestId: '10001', type: 'Image', errorText: 'net::ERR_FAILED' });
  const checking = tracker.checkFailures();
  answer(2, { result: { type: 'object', value: ['http://a.example/5'] } });
  expect((await checking).map(({ url }) => url)).toEqual(['http://a.example/10001', 'http://a.example/5']);
  for (let id = 20_000; id < 30_000; id += 1) request(id, 'Fetch');
  for (let id = 30_000; id < 40_000; id += 1) request(id, 'Image');
  await expect.poll(() => tooMany).toHaveLength(1);
});

test('a document may load 200 frames, each of them several times, and no more', async () => {
  const { session, answer, send } = openSimulatedPage();
  const tooMany: unknown[] = [];
  const tracking = trackResources(session, undefined, (error) => void tooMany.push(error));
  answer(1);
  await tracking;
  let received = 0;
  session.on('Network.requestWillBeSent', () => (received += 1));
  const load = (frame: number): void => {
    const [requestId, frameId, request] = [`of-${frame}`, `frame-${frame}`, { url: `http://a.example/${frame}` }];
    send('Network.requestWillBeSent', { requestId, frameId, request, type: 'Document' });
  };
  for (let frame = 0; frame < 200; frame += 1) load(frame);
  for (let frame = 0; frame < 200; frame += 1) load(frame);
  await expect.poll(() => received).toBe(400);
  expect(tooMany).toEqual([]);
  for (const frame of [200, 201]) load(frame);
  await expect.poll(() => received).toBe(402);
  expect(tooMany).toMatchObject([{ fields: { name: 'conversion_failed', extra: { details: { limit: 200 } } } }]);
});
