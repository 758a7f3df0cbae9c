import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readGroupMemory } from './browsers/memory.ts';
import { apiErrorFieldsOf, requestFor, openTestPrinter, silentLogger } from './testing/printing.ts';
import { BrowserGone } from './cdp/errors.ts';
import { emptyPrintDiagnostics } from './print-request.ts';
import type { Printer, PrinterLogger, PrintRequest } from './printer.ts';

let printer: Printer;

const browser = (kind: 'static' | 'scripted' | 'animated') =>
  printer.health().find((candidate) => candidate.renderMode === kind)!;
const endless = requestFor('<script>onload=()=>setTimeout(()=>{},9999)</script>', {
  scripts: true,
  options: { wait_time: 5000 },
});

const rejectionOf = (printed: Promise<unknown>) =>
  printed.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The process group of a browser, as soon as it has started. */
const processGroupOf = async (kind: 'static' | 'animated'): Promise<number> => {
  await expect.poll(() => browser(kind).processGroup).not.toBeNull();
  return browser(kind).processGroup!;
};

describe('Of the browsers of a printer', () => {
  // So long that no browser is replaced because it is stopped, or the machine is busy.
  beforeAll(async () => void (printer = await openTestPrinter({ tuning: { responseTimeoutMs: 150_000 } })));
  afterAll(() => printer.close());

  test('a crashed one fails its documents with BrowserGone, a new one starts, and an isolated one continues', async () => {
    const isolated = printer.print({ ...endless, isolated: true, options: { ...endless.options, wait_time: 1500 } });
    const others = [printer.print(endless), printer.print(requestFor('<p>x', { options: { wait_time: 3000 } }))].map(
      rejectionOf,
    );
    const shared = [await processGroupOf('static'), await processGroupOf('animated')];
    for (const group of shared) process.kill(-group, 'SIGKILL');
    expect((await isolated).pages).toBe(1);
    expect((await Promise.all(others))[0]).toBeInstanceOf(BrowserGone);
    expect((await printer.print({ ...endless, options: { ...endless.options, wait_time: 10 } })).pages).toBe(1);
    expect(browser('animated')).toMatchObject({ up: true, starts: 2, crashes: 1 });
    await expect.poll(() => printer.ready()).toBe(true);
  });

  test('one with a crashed page keeps its other pages', async () => {
    const before = browser('animated').crashes;
    const documents = [3000, 2900].map((wait_time) =>
      printer.print({ ...endless, options: { ...endless.options, wait_time } }),
    );
    const group = await processGroupOf('animated');
    const findRenderers = async () => (await readGroupMemory(new Set([group]))).filter(({ isRenderer }) => isRenderer);
    await expect.poll(async () => (await findRenderers()).length).toBeGreaterThanOrEqual(2);
    const renderers = await findRenderers();
    expect(browser('animated').running).toBe(2);
    // Which process belongs to which document is not known, so at most one of the two fails.
    process.kill(renderers[0]!.pid, 'SIGKILL');
    const results = await Promise.allSettled(documents);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
    expect(browser('animated').crashes).toBe(before);
  });

  test('an isolated one also has the header of its document laid out in an isolated one', async () => {
    const group = await processGroupOf('static');
    const options = { header_html: '<b>Page</b> {{page}}' };
    const request = requestFor('<p>x<script>1</script>', { isolated: true, scripts: true, options });
    process.kill(-group, 'SIGSTOP');
    try {
      expect((await printer.print(request)).pages).toBe(1);
    } finally {
      process.kill(-group, 'SIGCONT');
    }
  });
});

describe('With little memory,', () => {
  const memoryMb = 300;
  const warn = vi.fn<PrinterLogger['warn']>();
  beforeAll(async () => {
    const logger = { ...silentLogger, warn };
    printer = await openTestPrinter({ memoryMb, tuning: { memoryCheckIntervalMs: 50 }, logger });
  });
  afterAll(() => printer.close());

  const memoryExceeded = { name: 'conversion_failed', extra: { details: { memory_limit_mb: memoryMb } } };
  /** A document that keeps more and more. A busy machine may need longer than the limits of a request for that. */
  const growing = (piece: string): PrintRequest => {
    const request = requestFor(`<script>onload=()=>setInterval(()=>{(self.a??=[]).push(${piece})},20)</script>`, {
      scripts: true,
      limits: { scriptMs: 150_000 },
    });
    // Longer than a request may ask for.
    request.options.wait_time = 140_000;
    return request;
  };

  test('a document that uses too much fails without affecting the others', async () => {
    const { crashes } = browser('animated');
    const small = printer.print({ ...endless, options: { ...endless.options, wait_time: 1000 } });
    expect(await apiErrorFieldsOf(printer.print(growing('new Uint8Array(3e7).fill(1)')))).toMatchObject(memoryExceeded);
    expect((await small).pages).toBe(1);
    expect(browser('animated').crashes).toBe(crashes);
  });

  test('a document that fills the memory of the browser itself fails alone, with an error about memory', async () => {
    const { crashes } = browser('animated');
    const other = printer.print({ ...endless, options: { ...endless.options, wait_time: 3000 } });
    // The bytes of a Blob are in the browser's main process. Those of the array are few, and stay in the page.
    const blobs = growing('new Blob([(self.bytes ??= new Uint8Array(1e7))])');
    expect(await apiErrorFieldsOf(printer.print(blobs))).toMatchObject(memoryExceeded);
    expect((await other).pages).toBe(1);
    expect(browser('animated').crashes).toBe(crashes + 1);
  });

  test('documents that use too much only together are all printed', async () => {
    warn.mockClear();
    const { crashes } = browser('animated');
    const requests = ['one', 'two'].map((name) =>
      requestFor(
        `<p>x<script>
           onload = () => { self.a = new Uint8Array(12e7).fill(1); console.log('${name}'); setTimeout(() => {}, 9999) }
         </script>`,
        { scripts: true, options: { wait_time: 4000 }, diagnostics: emptyPrintDiagnostics() },
      ),
    );
    const printed = await Promise.all(requests.map((request) => printer.print(request)));
    expect(printed.map(({ pages }) => pages)).toEqual([1, 1]);
    const messages = requests.map(({ diagnostics }) => diagnostics!.console.map(({ text }) => text));
    expect(messages).toEqual([['one'], ['two']]);
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ killed: 'renderer' }), expect.any(String));
    expect(browser('animated').crashes).toBe(crashes);
  });

  test('a document that uses too much while it is printed fails with an error about memory', async () => {
    const rows = Array.from({ length: 5_000 }, (_, row) => `<tr><td>${row}<td>a<td>b<td>c`).join('');
    expect(await apiErrorFieldsOf(printer.print(requestFor(`<table>${rows}</table>`)))).toMatchObject(memoryExceeded);
  });
});

describe('A printer of its own:', () => {
  afterEach(() => printer.close());

  test('browsers for scripts start with the first document that needs them, and are not missed before', async () => {
    printer = await openTestPrinter();
    const starts = () => printer.health().map((each) => [each.renderMode, each.up, each.starts]);
    expect(starts()).toEqual([
      ['static', true, 1],
      ['scripted', true, 0],
      ['animated', true, 0],
    ]);
    const printing = printer.print(requestFor('<p>x<script>1</script>', { scripts: true }));
    expect(printer.ready()).toBe(true);
    expect((await printing).pages).toBe(1);
    expect(starts()).toEqual([
      ['static', true, 1],
      ['scripted', true, 1],
      ['animated', true, 0],
    ]);
  });

  test('a browser that does not respond is killed and replaced', async () => {
    printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 50, responseTimeoutMs: 5_000 } });
    const before = browser('static').processGroup!;
    process.kill(-before, 'SIGSTOP');
    await expect.poll(() => browser('static').processGroup).not.toBe(before);
    await expect.poll(() => browser('static').up).toBe(true);
    expect((await printer.print(requestFor('<p>x'))).pages).toBe(1);
  });

  test('the page of a large document ends with it, because it would keep much memory', async () => {
    printer = await openTestPrinter({ pagesPerBrowser: 1 });
    const group = await processGroupOf('static');
    const findRenderers = async () =>
      (await readGroupMemory(new Set([group]))).filter(({ isRenderer }) => isRenderer).map(({ pid }) => pid);
    await printer.print(requestFor('<p>x'));
    const before = await findRenderers();
    await printer.print(requestFor('<p>y'));
    expect(await findRenderers()).toEqual(before);
    await printer.print(requestFor(`<p>z<!--${'x'.repeat(2 ** 20)}-->`));
    await expect.poll(findRenderers).not.toEqual(expect.arrayContaining(before));
  });

  test('a browser is replaced without failing a document, and the old one ends', async () => {
    printer = await openTestPrinter({ tuning: { documentsPerBrowser: 4, documentsPerPage: 3 } });
    const groups = new Set<number>();
    // The old browser prints until the new one has started, so the number of documents until then varies.
    while (groups.size < 2) {
      const printed = await Promise.all([1, 2, 3].map((number) => printer.print(requestFor(`<p>${number}`))));
      expect(printed.map(({ pages }) => pages)).toEqual([1, 1, 1]);
      expect(printer.ready()).toBe(true);
      groups.add(browser('static').processGroup!);
    }
    expect(browser('static').crashes).toBe(0);
    expect(browser('static').starts).toBe(groups.size);
    groups.delete(browser('static').processGroup!);
    await expect.poll(() => readGroupMemory(groups)).toEqual([]);
  });

  test('a browser is replaced also when its last document runs out of time', async () => {
    printer = await openTestPrinter({ tuning: { documentsPerBrowser: 1 } });
    const { limits } = endless;
    const late = rejectionOf(printer.print({ ...endless, limits: { ...limits, processingMs: 1500 } }));
    const old = new Set([await processGroupOf('animated')]);
    await printer.print({ ...endless, options: { ...endless.options, wait_time: 10 } });
    await expect.poll(() => browser('animated').starts).toBe(2);
    expect(await late).toMatchObject({ fields: { name: 'processing_timeout' } });
    await expect.poll(() => readGroupMemory(old)).toEqual([]);
  });

  test('a closing printer finishes its documents and accepts no new ones', async () => {
    printer = await openTestPrinter();
    const running = printer.print({ ...endless, options: { ...endless.options, wait_time: 500 } });
    const groups = new Set([await processGroupOf('static'), await processGroupOf('animated')]);
    const closed = printer.close();
    await expect(printer.print(requestFor('<p>x'))).rejects.toBeInstanceOf(BrowserGone);
    expect((await running).pages).toBe(1);
    await closed;
    expect(printer.ready()).toBe(false);
    // A process that has ended is listed until the system has removed it.
    await expect.poll(() => readGroupMemory(groups)).toEqual([]);
  });

  test('a document that floods its window history does not block the browser', async () => {
    printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 100, responseTimeoutMs: 20_000 } });
    const flood = printer
      .print(
        requestFor(
          '<p>x<script>for (let i = 0; i < 3e5; i++) try { history.pushState(i, "", `#${i}`) } catch {}</script>',
          { scripts: true, limits: { scriptMs: 25_000 } },
        ),
      )
      .catch(() => undefined);
    await expect.poll(() => browser('scripted').running).toBe(1);
    const others = await printer.print(requestFor('<p>x<script>1</script>', { scripts: true }));
    expect(others.pages).toBe(1);
    await flood;
    expect(browser('scripted').crashes).toBe(0);
  });
});
