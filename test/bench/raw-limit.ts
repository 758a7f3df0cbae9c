import { launchBrowser, type Browser } from '#libs/chromium/browsers/launch.ts';
import type { Session } from '#libs/chromium/cdp/connection.ts';
import { invoice } from './fixtures/invoice.ts';

export type Measurement = { concurrency: number; documentsPerSecond: number; p50Ms: number; p99Ms: number };
export type RawSettings = { executable: string; documents: number; concurrency: number };

const paper = {
  paperWidth: 8.27,
  paperHeight: 11.69,
  marginTop: 0.787,
  marginBottom: 0.787,
  marginLeft: 0.59,
  marginRight: 0.59,
  printBackground: true,
  generateTaggedPDF: false,
};

/** Runs `work` `documents` times, `concurrency` at once. A tenth more runs before as warm-up and does not count. */
export const measure = async (
  documents: number,
  concurrency: number,
  work: (worker: number, index: number) => Promise<unknown>,
): Promise<Measurement> => {
  const warmUp = Math.ceil(documents / 10);
  const durations: number[] = [];
  const run = async (from: number, to: number) => {
    let next = from;
    const worker = async (id: number) => {
      for (let index = next++; index < to; index = next++) {
        const start = performance.now();
        await work(id, index);
        durations.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, (_, id) => worker(id)));
  };
  await run(0, warmUp);
  durations.length = 0;
  const start = performance.now();
  await run(warmUp, warmUp + documents);
  const seconds = (performance.now() - start) / 1000;
  durations.sort((a, b) => a - b);
  const at = (share: number) => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))]!;
  return { concurrency, documentsPerSecond: documents / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
};

type Target = { session: Session; frameId: string; context: string };

const target = async ({ devtools, framelessPages }: Browser, scripts: boolean): Promise<Target> => {
  const { browserContextId: context } = await devtools.send('Target.createBrowserContext', {});
  const { targetId } = await devtools.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId: context,
    enableBeginFrameControl: framelessPages,
  });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const session = devtools.session(sessionId);
  const setUp = [
    session.send('Page.getFrameTree'),
    session.send('Page.enable'),
    session.send('Page.setLifecycleEventsEnabled', { enabled: true }),
  ] as const;
  if (!scripts) await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  const [{ frameTree }] = await Promise.all(setUp);
  return { session, frameId: frameTree.frame.id, context };
};

const printDocument = async ({ session, frameId }: Target, html: string): Promise<Buffer> => {
  const loaded = new Promise<void>((resolve) => {
    const off = session.on('Page.lifecycleEvent', ({ name }) => {
      if (name !== 'load') return;
      off();
      resolve();
    });
  });
  await session.send('Page.setDocumentContent', { frameId, html });
  await loaded;
  const { data } = await session.send('Page.printToPDF', paper);
  return Buffer.from(data, 'base64');
};

const withBrowser = async <T>(
  executable: string,
  renderMode: 'static' | 'animated',
  use: (browser: Browser) => Promise<T>,
): Promise<T> => {
  const browser = await launchBrowser({ executable, renderMode, memoryMb: 2048 });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
};

/** The limit: reused browser targets without screen frames, in a loop that only loads and prints the documents. */
export const rawLimit = (
  { executable, documents, concurrency }: RawSettings,
  documentOf: (index: number) => string = invoice,
): Promise<Measurement> =>
  withBrowser(executable, 'static', async (browser) => {
    const targets = await Promise.all(Array.from({ length: concurrency }, () => target(browser, false)));
    return measure(documents, concurrency, (worker, index) => printDocument(targets[worker]!, documentOf(index)));
  });

/** The limit with scripts: a new browser context for each document, in a loop that only loads and prints. */
export const rawScriptLimit = (
  { executable, documents, concurrency }: RawSettings,
  documentOf: (index: number) => string = invoice,
): Promise<Measurement> =>
  withBrowser(executable, 'animated', (browser) =>
    measure(documents, concurrency, async (_, index) => {
      const fresh = await target(browser, true);
      await printDocument(fresh, documentOf(index));
      await browser.devtools.send('Target.disposeBrowserContext', { browserContextId: fresh.context });
    }),
  );
