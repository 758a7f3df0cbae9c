import { afterEach, expect, test } from 'vitest';
import { readGroupMemory } from './browsers/memory.ts';
import { apiErrorFieldsOf, requestFor, openTestPrinter } from './testing/printing.ts';
import { BrowserGone, type Printer } from './printer.ts';

let printer: Printer;
afterEach(() => printer.close());

const browser = (kind: 'static' | 'scripted' | 'animated') =>
  printer.health().browsers.find((one) => one.renderMode === kind)!;
const endless = requestFor('<script>onload=()=>setTimeout(()=>{},9999)</script>', {
  scripts: true,
  options: { wait_time: 5000 },
});
const seconds20 = { timeout: 20_000 };
const goneOf = (printed: Promise<unknown>) =>
  printed.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a browser that crashes fails what it was at as worth another attempt, and a new one comes', async () => {
  printer = await openTestPrinter();
  const { processGroup } = browser('animated');
  const running = goneOf(printer.print(endless));
  await expect.poll(() => browser('animated').running).toBe(1);
  process.kill(-processGroup!, 'SIGKILL');
  expect(await running).toBeInstanceOf(BrowserGone);
  expect((await printer.print({ ...endless, options: { ...endless.options, wait_time: 10 } })).pages).toBe(1);
  expect(browser('animated')).toMatchObject({ up: true, starts: 2, crashes: 1 });
  expect(printer.ready()).toBe(true);
});

test('the crash of one page leaves the others at work', async () => {
  printer = await openTestPrinter();
  const bystander = printer.print({ ...endless, options: { ...endless.options, wait_time: 1500 } });
  const hungry = goneOf(
    printer.print(
      requestFor('<script>onload=()=>{document.title="here"}</script>', {
        scripts: true,
        options: { wait_time: 4000 },
      }),
    ),
  );
  await expect.poll(() => browser('animated').running).toBe(2);
  const renderers = (await readGroupMemory(new Set([browser('animated').processGroup!]))).filter(
    ({ isRenderer }) => isRenderer,
  );
  expect(renderers.length).toBeGreaterThanOrEqual(2);
  // Whose process is whose cannot be told from outside; one of the two at most falls to this.
  process.kill(renderers[0]!.pid, 'SIGKILL');
  const results = await Promise.allSettled([bystander, hungry]);
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
  expect(browser('animated').crashes).toBe(0);
});

test('a browser that no longer answers is ended and replaced', async () => {
  printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 50, responseTimeoutMs: 3000 } });
  const before = browser('static').processGroup!;
  process.kill(-before, 'SIGSTOP');
  await expect.poll(() => browser('static').processGroup, seconds20).not.toBe(before);
  await expect.poll(() => browser('static').up, seconds20).toBe(true);
  expect((await printer.print(requestFor('<p>x'))).pages).toBe(1);
});

test('a document that takes too much memory fails, and the one beside it does not', async () => {
  printer = await openTestPrinter({ memoryMb: 450, tuning: { memoryCheckIntervalMs: 50 } });
  const hungry = apiErrorFieldsOf(
    printer.print(
      requestFor('<script>onload=()=>setInterval(()=>{(self.a??=[]).push(new Uint8Array(3e7).fill(1))},20)</script>', {
        scripts: true,
        options: { wait_time: 5000 },
      }),
    ),
  );
  const modest = printer.print({ ...endless, options: { ...endless.options, wait_time: 1000 } });
  expect(await hungry).toMatchObject({ name: 'conversion_failed', extra: { details: { memory_limit_mb: 450 } } });
  expect((await modest).pages).toBe(1);
  expect(browser('animated').crashes).toBe(0);
});

test('browsers are replaced without a document noticing, and the old one goes', async () => {
  printer = await openTestPrinter({ tuning: { documentsPerBrowser: 10, documentsPerPage: 3 } });
  const groups = new Set<number>();
  for (let round = 0; round < 30; round += 1) {
    const printed = await Promise.all([1, 2, 3].map(() => printer.print(requestFor(`<p>${round}`))));
    expect(printed.map(({ pages }) => pages)).toEqual([1, 1, 1]);
    expect(printer.ready()).toBe(true);
    groups.add(browser('static').processGroup!);
  }
  expect(groups.size).toBeGreaterThan(1);
  expect(browser('static').crashes).toBe(0);
  expect(browser('static').starts).toBe(groups.size);
  groups.delete(browser('static').processGroup!);
  await expect.poll(() => readGroupMemory(groups), seconds20).toEqual([]);
});

test('closing finishes what runs and takes nothing new', async () => {
  printer = await openTestPrinter();
  const groups = new Set(printer.health().browsers.map(({ processGroup }) => processGroup!));
  const running = printer.print({ ...endless, options: { ...endless.options, wait_time: 500 } });
  const closed = printer.close();
  await expect(printer.print(requestFor('<p>x'))).rejects.toBeInstanceOf(BrowserGone);
  expect((await running).pages).toBe(1);
  await closed;
  expect(printer.ready()).toBe(false);
  // A process that has ended is listed until the system has taken note of it.
  await expect.poll(() => readGroupMemory(groups)).toEqual([]);
});

test(
  'a PDF of more than a hundred megabytes is refused with its size, and the browser goes on',
  { timeout: 60_000 },
  async () => {
    printer = await openTestPrinter();
    const noise = `<body style="margin:0">x<script>for (let i = 0; i < 5; i++) {
    const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 3000, style: 'width:300px;display:block' });
    const picture = new ImageData(3000, 3000);
    for (let at = 0; at < picture.data.length; at += 65_536) crypto.getRandomValues(picture.data.subarray(at, at + 65_536));
    for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 255;
    canvas.getContext('2d').putImageData(picture, 0, 0);
    document.body.append(canvas);
  }</script>`;
    const { extra } = await apiErrorFieldsOf(
      printer.print(requestFor(noise, { scripts: true, limits: { processingMs: 50_000 } })),
    );
    expect(extra).toEqual({ max_size_mb: 100, generated_size_mb: expect.any(Number) });
    expect(extra['generated_size_mb']).toBeGreaterThan(100);
    expect((await printer.print(requestFor('<p>x<script>1</script>', { scripts: true }))).pages).toBe(1);
  },
);

test('a document that floods the history of its window does not hold up the browser', async () => {
  printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 100, responseTimeoutMs: 4000 } });
  const flood = printer
    .print(
      requestFor(
        '<p>x<script>for (let i = 0; i < 1e6; i++) try { history.pushState(i, "", `#${i}`) } catch {}</script>',
        { scripts: true },
      ),
    )
    .catch(() => undefined);
  await expect.poll(() => browser('scripted').running).toBe(1);
  const beside = await printer.print(requestFor('<p>x<script>1</script>', { scripts: true }));
  expect(beside.pages).toBe(1);
  await flood;
  expect(browser('scripted').crashes).toBe(0);
});

test('a document that is printed alone survives the end of every other browser, and its own browser goes with it', async () => {
  printer = await openTestPrinter();
  const shared = new Set(printer.health().browsers.map(({ processGroup }) => processGroup!));
  const alone = printer.print({ ...endless, isolated: true, options: { ...endless.options, wait_time: 3000 } });
  const beside = [printer.print(endless), printer.print(requestFor('<p>x', { options: { wait_time: 3000 } }))].map(
    goneOf,
  );
  await expect.poll(() => browser('animated').running).toBe(1);
  for (const group of shared) process.kill(-group, 'SIGKILL');
  expect((await alone).pages).toBe(1);
  expect((await Promise.all(beside))[0]).toBeInstanceOf(BrowserGone);
  expect((await printer.print(requestFor('<p>x', { isolated: true }))).pages).toBe(1);
  expect(browser('animated').crashes).toBe(1);
});
