import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import type { DocumentProxy } from '#libs/egress/egress.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { BrowserGone } from '../cdp/errors.ts';
import { launchBrowser, type Browser, type LaunchOptions, defaultStartTimeoutMs } from './launch.ts';
import { openPage, type Page, type PageOptions } from './page.ts';

export type OpenProxy = () => Promise<DocumentProxy>;

/**
 * `openProxy` opens the proxy of a page that may fetch; without it no page has network. `startTimeoutMs` limits the start
 * of the browser and its first page, `pageTimeoutMs` each later page. `now` is in milliseconds.
 */
export type InstanceOptions = LaunchOptions & {
  reusablePages: number;
  documentsPerPage: number;
  openProxy?: OpenProxy | undefined;
  pageTimeoutMs?: number;
  now?: () => number;
};

/** A browser that needs longer to open a page is killed early enough to print its documents again within their time limits. */
const defaultPageTimeoutMs = 30_000;

/** A browser with its pages. A reusable page prints many documents. A single-use page prints one; the next is opened in advance. */
export type BrowserInstance = {
  browser: Browser;
  documents: number;
  /** Resolves when no page is in use. */
  untilIdle(): Promise<void>;
  startedAt: number;
  /**
   * A page that prints one document after another, without scripts and network. With `isLast` it is closed afterwards, and
   * after a slow document.
   */
  withReusablePage<T>(use: (page: Page) => Promise<T>, options?: { isLast: boolean }): Promise<T>;
  /** A page for one document, closed afterwards. */
  withSingleUsePage<T>(pageOptions: PageOptions, use: (page: Page) => Promise<T>): Promise<T>;
};

type ReusablePageSlot = { page: Promise<Page>; documents: number };

/**
 * A document that takes longer is slow. The next one would wait until the page has removed it, which took up to an eighth
 * of its time.
 */
const slowDocumentMs = 1_000;

const reusablePageOptions: PageOptions = { scripts: 'off', network: 'none' };

/** The options of the first page: those that most documents of the render mode need. */
const firstPageOptions: Record<RenderMode, PageOptions> = {
  static: reusablePageOptions,
  scripted: { scripts: 'on', network: 'none' },
  animated: { scripts: 'on', network: 'proxy' },
};

const pageKey = ({ scripts, network }: PageOptions) => `${scripts} ${network}`;

const suppressUnhandledRejection = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/** Closes the proxies of a browser that has ended, if its pages have not closed them. */
const closeProxiesAfter = (ended: Promise<void>, openProxy: OpenProxy): OpenProxy => {
  const open = new Set<() => Promise<void>>();
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
    for (const close of open) void close();
  });
  return async () => {
    const proxy = await openProxy();
    const close = async (): Promise<void> => {
      if (open.delete(close)) await proxy.close();
    };
    open.add(close);
    if (isEnded) await close();
    return { ...proxy, close };
  };
};

/**
 * Starts a browser and opens its first page, to show that pages work. Documents that need more pages open them.
 * @throws if the browser or the page does not start
 */
export const openBrowserInstance = async (options: InstanceOptions): Promise<BrowserInstance> => {
  const { now = () => performance.now() } = options;
  const browser = await launchBrowser(options);
  const openProxy = options.openProxy && closeProxiesAfter(browser.ended, options.openProxy);
  const openInTime = async (pageOptions: PageOptions, pageTimeoutMs: number): Promise<Page> => {
    // Such a browser opens no other page either. When it is killed, its documents are retried in another one.
    const timeout = setTimeout(() => browser.kill(), pageTimeoutMs);
    try {
      return await openPage(browser, pageOptions, openProxy);
    } finally {
      clearTimeout(timeout);
    }
  };
  const open = (pageOptions: PageOptions, pageTimeoutMs = options.pageTimeoutMs ?? defaultPageTimeoutMs) =>
    suppressUnhandledRejection(openInTime(pageOptions, pageTimeoutMs));
  const newSlot = (): ReusablePageSlot => ({ page: open(reusablePageOptions), documents: 0 });
  const free: ReusablePageSlot[] = [];
  const openedPages = new Map<string, Promise<Page>>();

  /** Pages beyond the regular number were opened while slow documents held the others; they are closed. */
  const release = (slot: ReusablePageSlot, usable: boolean) => {
    const isNeeded = free.length < options.reusablePages;
    if (usable && isNeeded) return free.push(slot);
    void slot.page.then(
      (page) => page.close(),
      () => undefined,
    );
    // Documents take the last one, which should be open already.
    if (isNeeded) free.unshift(newSlot());
  };

  /**
   * A page opened in advance may have crashed since, or its opening may have failed; a page opened now may still work. If
   * it crashes too, the browser opens no other page either, and is killed. Not earlier, because of its other documents.
   */
  const openIfGone = async (opened: Promise<Page>, pageOptions: PageOptions): Promise<Page> => {
    const page = await opened.catch(() => undefined);
    if (page?.alive) return page;
    void page?.close();
    return open(pageOptions).catch((error: unknown) => {
      if (error instanceof BrowserGone) browser.kill();
      throw error;
    });
  };

  const takePage = (pageOptions: PageOptions): Promise<Page> => {
    const page = openedPages.get(pageKey(pageOptions)) ?? open(pageOptions);
    openedPages.set(pageKey(pageOptions), open(pageOptions));
    return openIfGone(page, pageOptions);
  };

  let runningDocuments = 0;
  const idle = createChangeSignal();
  const countDocument = async <T>(work: () => Promise<T>): Promise<T> => {
    runningDocuments += 1;
    try {
      return await work();
    } finally {
      runningDocuments -= 1;
      instance.documents += 1;
      if (runningDocuments === 0) idle.notify();
    }
  };

  const instance: BrowserInstance = {
    browser,
    documents: 0,
    untilIdle: async () => {
      if (runningDocuments > 0) await idle.waitForChange();
    },
    startedAt: performance.now(),
    withReusablePage: (use, { isLast } = { isLast: false }) =>
      countDocument(async () => {
        const slot = free.pop() ?? newSlot();
        slot.page = suppressUnhandledRejection(openIfGone(slot.page, reusablePageOptions));
        try {
          const page = await slot.page;
          const startedAt = now();
          const result = await use(page);
          slot.documents += 1;
          const isSlow = now() - startedAt > slowDocumentMs;
          release(slot, !isLast && !isSlow && slot.documents < options.documentsPerPage);
          return result;
        } catch (error) {
          release(slot, false);
          throw error;
        }
      }),
    withSingleUsePage: (pageOptions, use) =>
      countDocument(async () => {
        const page = await takePage(pageOptions);
        try {
          return await use(page);
        } finally {
          void page.close();
        }
      }),
  };
  const pageOptions = firstPageOptions[options.renderMode];
  const firstPage = open(pageOptions, options.startTimeoutMs ?? defaultStartTimeoutMs);
  if (options.renderMode === 'static') free.push({ page: firstPage, documents: 0 });
  else openedPages.set(pageKey(pageOptions), firstPage);
  try {
    await firstPage;
    return instance;
  } catch (error) {
    await browser.close();
    throw error;
  }
};

export type IsolatedBrowsers = {
  run<T>(renderMode: RenderMode, work: (instance: BrowserInstance) => Promise<T>): Promise<T>;
  instances(): BrowserInstance[];
};

/** Browsers for one document each, which may crash its browser, or needs too much memory beside others. */
export const openIsolatedBrowsers = (open: (renderMode: RenderMode) => Promise<BrowserInstance>): IsolatedBrowsers => {
  const running = new Set<BrowserInstance>();
  return {
    run: async (renderMode, work) => {
      const instance = await open(renderMode);
      running.add(instance);
      try {
        return await work(instance);
      } finally {
        await instance.browser.close();
        running.delete(instance);
      }
    },
    instances: () => [...running],
  };
};
