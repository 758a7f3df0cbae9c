import { afterEach, expect, test } from 'vitest';
import { memoryOfGroups } from './memory.ts';
import { faultOf, requestFor, testPrinter } from './fixtures/printing.ts';
import { BrowserGone, type Printer } from './printer.ts';

let printer: Printer;
afterEach(() => printer.close());

const browser = (kind: 'still' | 'moving') => printer.health().browsers.find((one) => one.kind === kind)!;
const endless = requestFor('<script>onload=()=>setTimeout(()=>{},9999)</script>', { lane: 'script', options: { wait_time: 5000 } });
const seconds20 = { timeout: 20_000 };
const goneOf = (printed: Promise<unknown>) => printed.then(() => undefined, (error: unknown) => error);

test('a browser that crashes fails what it was at as worth another attempt, and a new one comes', async () => {
  printer = await testPrinter();
  const { processGroup } = browser('moving');
  const running = goneOf(printer.print(endless));
  await expect.poll(() => browser('moving').running).toBe(1);
  process.kill(-processGroup!, 'SIGKILL');
  expect(await running).toBeInstanceOf(BrowserGone);
  expect((await printer.print(requestFor('<script>1</script>', { lane: 'script' }))).pages).toBe(1);
  expect(browser('moving')).toMatchObject({ up: true, crashes: 1 });
  expect(printer.ready()).toBe(true);
});

test('the crash of one page leaves the others at work', async () => {
  printer = await testPrinter();
  const bystander = printer.print({ ...endless, options: { ...endless.options, wait_time: 1500 } });
  const hungry = goneOf(printer.print(requestFor('<script>onload=()=>{document.title="here"}</script>', { lane: 'script', options: { wait_time: 4000 } })));
  await expect.poll(() => browser('moving').running).toBe(2);
  const renderers = (await memoryOfGroups(new Set([browser('moving').processGroup!]))).filter(({ renderer }) => renderer);
  expect(renderers.length).toBeGreaterThanOrEqual(2);
  // Whose process is whose cannot be told from outside; one of the two at most falls to this.
  process.kill(renderers[0]!.pid, 'SIGKILL');
  const results = await Promise.allSettled([bystander, hungry]);
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
  expect(browser('moving').crashes).toBe(0);
});

test('a browser that no longer answers is ended and replaced', async () => {
  printer = await testPrinter({ tuning: { pulseEveryMs: 50, pulseWithinMs: 3000 } });
  const before = browser('still').processGroup!;
  process.kill(-before, 'SIGSTOP');
  await expect.poll(() => browser('still').processGroup, seconds20).not.toBe(before);
  await expect.poll(() => browser('still').up, seconds20).toBe(true);
  expect((await printer.print(requestFor('<p>x'))).pages).toBe(1);
});

test('a document that takes too much memory fails, and the one beside it does not', async () => {
  printer = await testPrinter({ memoryMb: 450, tuning: { memoryEveryMs: 50 } });
  const hungry = faultOf(printer.print(requestFor('<script>onload=()=>setInterval(()=>{(self.a??=[]).push(new Uint8Array(3e7).fill(1))},20)</script>', { lane: 'script', options: { wait_time: 5000 } })));
  const modest = printer.print({ ...endless, options: { ...endless.options, wait_time: 1000 } });
  expect(await hungry).toMatchObject({ name: 'conversion_failed', extra: { details: { memory_limit_mb: 450 } } });
  expect((await modest).pages).toBe(1);
  expect(browser('moving').crashes).toBe(0);
});

test('browsers are replaced without a document noticing, and the old one goes', async () => {
  printer = await testPrinter({ tuning: { documentsPerBrowser: 10, documentsPerPage: 3 } });
  const groups = new Set<number>();
  for (let round = 0; round < 30; round += 1) {
    const printed = await Promise.all([1, 2, 3].map(() => printer.print(requestFor(`<p>${round}`))));
    expect(printed.map(({ pages }) => pages)).toEqual([1, 1, 1]);
    expect(printer.ready()).toBe(true);
    groups.add(browser('still').processGroup!);
  }
  expect(groups.size).toBeGreaterThan(1);
  expect(browser('still').crashes).toBe(0);
  groups.delete(browser('still').processGroup!);
  await expect.poll(() => memoryOfGroups(groups), seconds20).toEqual([]);
});

test('closing finishes what runs and takes nothing new', async () => {
  printer = await testPrinter();
  const groups = new Set(printer.health().browsers.map(({ processGroup }) => processGroup!));
  const running = printer.print({ ...endless, options: { ...endless.options, wait_time: 500 } });
  const closed = printer.close();
  await expect(printer.print(requestFor('<p>x'))).rejects.toBeInstanceOf(BrowserGone);
  expect((await running).pages).toBe(1);
  await closed;
  expect(printer.ready()).toBe(false);
  expect(await memoryOfGroups(groups)).toEqual([]);
});
