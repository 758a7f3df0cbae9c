import { afterEach, expect, test, vi } from 'vitest';
import { readGroupMemory } from './browsers/memory.ts';
import { apiErrorFieldsOf, requestFor, openTestPrinter, silentLogger } from './testing/printing.ts';
import { BrowserGone } from './cdp/errors.ts';
import { emptyPrintDiagnostics } from './print-request.ts';
import type { Printer, PrinterLogger } from './printer.ts';

let printer: Printer;
afterEach(() => printer.close());

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

test('a crashed browser fails its documents with BrowserGone, and a new one starts', async () => {
  printer = await openTestPrinter();
  const running = rejectionOf(printer.print(endless));
  process.kill(-(await processGroupOf('animated')), 'SIGKILL');
  expect(await running).toBeInstanceOf(BrowserGone);
  expect((await printer.print({ ...endless, options: { ...endless.options, wait_time: 10 } })).pages).toBe(1);
  expect(browser('animated')).toMatchObject({ up: true, starts: 2, crashes: 1 });
  expect(printer.ready()).toBe(true);
});

test('a crashed page does not affect the other pages', async () => {
  printer = await openTestPrinter();
  const otherDocument = printer.print({ ...endless, options: { ...endless.options, wait_time: 5000 } });
  const largeDocument = rejectionOf(
    printer.print(
      requestFor('<script>onload=()=>{document.title="here"}</script>', {
        scripts: true,
        options: { wait_time: 4000 },
      }),
    ),
  );
  const group = await processGroupOf('animated');
  const findRenderers = async () => (await readGroupMemory(new Set([group]))).filter(({ isRenderer }) => isRenderer);
  await expect.poll(async () => (await findRenderers()).length).toBeGreaterThanOrEqual(2);
  const renderers = await findRenderers();
  // Which process belongs to which document is not known, so at most one of the two fails.
  process.kill(renderers[0]!.pid, 'SIGKILL');
  const results = await Promise.allSettled([otherDocument, largeDocument]);
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
  expect(browser('animated').crashes).toBe(0);
});

test('a browser that does not respond is killed and replaced', async () => {
  printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 50, responseTimeoutMs: 10_000 } });
  const before = browser('static').processGroup!;
  process.kill(-before, 'SIGSTOP');
  await expect.poll(() => browser('static').processGroup).not.toBe(before);
  await expect.poll(() => browser('static').up).toBe(true);
  expect((await printer.print(requestFor('<p>x'))).pages).toBe(1);
});

const smallMemory = { memoryMb: 450, tuning: { memoryCheckIntervalMs: 50 } };
/** A document that uses more and more memory. A busy machine may need longer than the limits of a request for that. */
const growing = requestFor(
  '<script>onload=()=>setInterval(()=>{(self.a??=[]).push(new Uint8Array(3e7).fill(1))},20)</script>',
  { scripts: true, limits: { scriptMs: 150_000 } },
);
// Longer than a request may ask for.
growing.options.wait_time = 140_000;
const memoryExceeded = { name: 'conversion_failed', extra: { details: { memory_limit_mb: 450 } } };

test('a document that uses too much memory fails without affecting the others', async () => {
  printer = await openTestPrinter(smallMemory);
  const small = printer.print({ ...endless, options: { ...endless.options, wait_time: 1000 } });
  expect(await apiErrorFieldsOf(printer.print(growing))).toMatchObject(memoryExceeded);
  expect((await small).pages).toBe(1);
  expect(browser('animated').crashes).toBe(0);
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

test('a document that fills the memory of the browser itself fails alone, with an error about memory', async () => {
  printer = await openTestPrinter(smallMemory);
  // The bytes of a Blob are in the browser's main process.
  const blobs = requestFor(
    '<script>onload=()=>setInterval(()=>{(self.a??=[]).push(new Blob([new Uint8Array(3e7)]))},20)</script>',
    { scripts: true, limits: { scriptMs: 150_000 } },
  );
  blobs.options.wait_time = 140_000;
  const other = printer.print({ ...endless, options: { ...endless.options, wait_time: 5000 } });
  expect(await apiErrorFieldsOf(printer.print(blobs))).toMatchObject(memoryExceeded);
  expect((await other).pages).toBe(1);
  expect(browser('animated').crashes).toBe(1);
});

/** A document that keeps about that many MB, writes one console message, and is printed after the time. */
const keeping = (megabytes: number, wait_time: number) =>
  requestFor(
    `<p>x<script>
       onload = () => { self.a = new Uint8Array(${megabytes}e6).fill(1); console.log('kept'); setTimeout(() => {}, 9999) }
     </script>`,
    { scripts: true, options: { wait_time }, diagnostics: emptyPrintDiagnostics() },
  );

test('documents that use too much memory only together are all printed', async () => {
  const warn = vi.fn<PrinterLogger['warn']>();
  printer = await openTestPrinter({ ...smallMemory, memoryMb: 600, logger: { ...silentLogger, warn } });
  const requests = [250, 250, 250].map((megabytes) => keeping(megabytes, 5000));
  const printed = await Promise.all(requests.map((request) => printer.print(request)));
  expect(printed.map(({ pages }) => pages)).toEqual([1, 1, 1]);
  const messages = requests.map(({ diagnostics }) => diagnostics!.console.map(({ text }) => text));
  expect(messages).toEqual([['kept'], ['kept'], ['kept']]);
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ killed: 'renderer' }), expect.any(String));
  expect(browser('animated').crashes).toBe(0);
});

test('a document that uses too much memory while it is printed fails with an error about memory', async () => {
  printer = await openTestPrinter(smallMemory);
  const rows = Array.from({ length: 12_000 }, (_, row) => `<tr><td>${row}<td>a<td>b<td>c`).join('');
  expect(await apiErrorFieldsOf(printer.print(requestFor(`<table>${rows}</table>`)))).toMatchObject(memoryExceeded);
});

test('a browser is replaced without failing a document, and the old one ends', async () => {
  printer = await openTestPrinter({ tuning: { documentsPerBrowser: 10, documentsPerPage: 3 } });
  const groups = new Set<number>();
  // The old browser prints until the new one has started, so the number of documents until then varies.
  while (groups.size < 3) {
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
  const late = rejectionOf(printer.print({ ...endless, limits: { ...limits, processingMs: 3000 } }));
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

test('a PDF of more than 100 MB is refused with its size, and the browser continues', async () => {
  printer = await openTestPrinter({ tuning: { responseTimeoutMs: 150_000 } });
  // JPEG files get into the PDF as they are. Comments after their header of 20 bytes make them large.
  const images = `<body>x<script>
    const jpeg = document.createElement('canvas').toDataURL('image/jpeg');
    const bytes = Uint8Array.from(atob(jpeg.split(',')[1]), (byte) => byte.charCodeAt());
    const comment = new Uint8Array(65_535).fill(65);
    comment.set([0xff, 0xfe, 0xff, 0xfd]);
    for (let i = 0; i < 5; i++) {
      const parts = [bytes.subarray(0, 20), ...Array(400).fill(comment), bytes.subarray(20)];
      document.body.appendChild(new Image(99, 99)).src = URL.createObjectURL(new Blob(parts));
    }
  </script>`;
  const { extra } = await apiErrorFieldsOf(
    printer.print(requestFor(images, { scripts: true, limits: { scriptMs: 150_000 } })),
  );
  expect(extra).toEqual({ max_size_mb: 100, generated_size_mb: expect.any(Number) });
  expect(extra['generated_size_mb']).toBeGreaterThan(100);
  expect((await printer.print({ ...endless, options: { ...endless.options, wait_time: 10 } })).pages).toBe(1);
  expect(browser('animated')).toMatchObject({ up: true, starts: 1, crashes: 0 });
});

test('a document that floods its window history does not block the browser', async () => {
  printer = await openTestPrinter({ tuning: { healthCheckIntervalMs: 100, responseTimeoutMs: 20_000 } });
  const flood = printer
    .print(
      requestFor(
        '<p>x<script>for (let i = 0; i < 1e6; i++) try { history.pushState(i, "", `#${i}`) } catch {}</script>',
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

test('a document in an isolated browser survives the end of all other browsers, and its own browser ends with it', async () => {
  printer = await openTestPrinter();
  const isolated = printer.print({ ...endless, isolated: true, options: { ...endless.options, wait_time: 3000 } });
  const others = [printer.print(endless), printer.print(requestFor('<p>x', { options: { wait_time: 3000 } }))].map(
    rejectionOf,
  );
  const shared = [await processGroupOf('static'), await processGroupOf('animated')];
  for (const group of shared) process.kill(-group, 'SIGKILL');
  expect((await isolated).pages).toBe(1);
  expect((await Promise.all(others))[0]).toBeInstanceOf(BrowserGone);
  expect((await printer.print(requestFor('<p>x', { isolated: true }))).pages).toBe(1);
  expect(browser('animated').crashes).toBe(1);
});

test('a document in an isolated browser has its header laid out there, too', async () => {
  printer = await openTestPrinter();
  process.kill(-(await processGroupOf('static')), 'SIGSTOP');
  const isolated = { isolated: true, options: { header_html: '<b>Page</b> {{page}}' } };
  for (const html of ['<p>x', '<p>x<script>1</script>'])
    expect((await printer.print(requestFor(html, { ...isolated, scripts: html !== '<p>x' }))).pages).toBe(1);
});
