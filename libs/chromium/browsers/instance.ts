import type { DocumentProxy } from '#libs/egress/egress.ts';
import type { RenderMode } from '#contracts/render-modes.ts';
import { launchBrowser, type Browser, type LaunchOptions, defaultStartTimeoutMs } from './launch.ts';
import { openPage, type Page, type PageOptions } from './page.ts';

export type OpenProxy = () => Promise<DocumentProxy>;

/** `openProxy` gives each page that may fetch its way out; without it none has one. */
export type InstanceOptions = LaunchOptions & {
  reusablePages: number;
  documentsPerPage: number;
  openProxy?: OpenProxy | undefined;
};

/** One browser with its pages: those that are kept and filled again, and those prepared ahead for one document each. */
export type BrowserInstance = {
  browser: Browser;
  documents: number;
  runningDocuments: number;
  startedAt: number;
  /** A page that holds one document after the other: no scripts, no network. */
  withReusablePage<T>(use: (page: Page) => Promise<T>): Promise<T>;
  /** A page for one document, thrown away after it. */
  withSingleUsePage<T>(kind: PageOptions, use: (page: Page) => Promise<T>): Promise<T>;
};

type ReusablePageSlot = { page: Promise<Page>; documents: number };

/** What most documents of a browser need, ready when the first one comes. */
const preopenedPageOptions: Record<RenderMode, PageOptions> = {
  static: { scripts: 'off', network: 'proxy' },
  scripted: { scripts: 'on', network: 'none' },
  animated: { scripts: 'on', network: 'proxy' },
};

const reusablePageOptions: PageOptions = { scripts: 'off', network: 'none' };

const pageKey = ({ scripts, network }: PageOptions) => `${scripts} ${network}`;

const suppressUnhandledRejection = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/** Proxies that are closed with the browser, should their pages not have closed them. */
const closeProxiesAfter = (ended: Promise<void>, openProxy: OpenProxy): OpenProxy => {
  const open = new Set<() => Promise<void>>();
  let over = false;
  void ended.then(() => {
    over = true;
    for (const close of open) void close();
  });
  return async () => {
    const proxy = await openProxy();
    const close = async (): Promise<void> => {
      if (open.delete(close)) await proxy.close();
    };
    open.add(close);
    if (over) await close();
    return { ...proxy, close };
  };
};

/** Starts a browser and opens its pages. Throws when it does not come up. */
export const openBrowserInstance = async (settings: InstanceOptions): Promise<BrowserInstance> => {
  const browser = await launchBrowser(settings);
  const openProxy = settings.openProxy && closeProxiesAfter(browser.ended, settings.openProxy);
  const open = (kind: PageOptions) => suppressUnhandledRejection(openPage(browser, kind, openProxy));
  const newSlot = (): ReusablePageSlot => ({ page: open(reusablePageOptions), documents: 0 });
  const free = Array.from({ length: settings.reusablePages }, newSlot);
  const shelf = new Map<string, Promise<Page>>();

  /** Pages beyond those that are kept were opened because others are held by slow documents: they are needed no more. */
  const giveBack = (slot: ReusablePageSlot, usable: boolean) => {
    const isKept = free.length < settings.reusablePages;
    if (usable && isKept) return free.push(slot);
    void slot.page.then(
      (page) => page.close(),
      () => undefined,
    );
    if (isKept) free.push(newSlot());
  };

  /** A page that waited for its document may have died meanwhile, or could not be opened ahead of time; that says nothing about one opened now. */
  const living = async (waiting: Promise<Page>, kind: PageOptions): Promise<Page> => {
    const page = await waiting.catch(() => undefined);
    if (page?.alive) return page;
    void page?.close();
    return open(kind);
  };

  const fresh = (kind: PageOptions): Promise<Page> => {
    const page = shelf.get(pageKey(kind)) ?? open(kind);
    shelf.set(pageKey(kind), open(kind));
    return living(page, kind);
  };

  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    instance.runningDocuments += 1;
    try {
      return await work();
    } finally {
      instance.runningDocuments -= 1;
      instance.documents += 1;
    }
  };

  const instance: BrowserInstance = {
    browser,
    documents: 0,
    runningDocuments: 0,
    startedAt: performance.now(),
    withReusablePage: (use) =>
      counted(async () => {
        const slot = free.pop() ?? newSlot();
        slot.page = suppressUnhandledRejection(living(slot.page, reusablePageOptions));
        try {
          const result = await use(await slot.page);
          slot.documents += 1;
          giveBack(slot, slot.documents < settings.documentsPerPage);
          return result;
        } catch (error) {
          giveBack(slot, false);
          throw error;
        }
      }),
    withSingleUsePage: (kind, use) =>
      counted(async () => {
        const page = await fresh(kind);
        try {
          return await use(page);
        } finally {
          void page.close();
        }
      }),
  };
  const ahead = preopenedPageOptions[settings.renderMode];
  shelf.set(pageKey(ahead), open(ahead));
  const late = setTimeout(() => browser.kill(), settings.startTimeoutMs ?? defaultStartTimeoutMs);
  const first = await Promise.allSettled([...free.map(({ page }) => page), ...shelf.values()]);
  clearTimeout(late);
  const failed = first.find((page) => page.status === 'rejected');
  if (!failed) return instance;
  await browser.close();
  throw failed.reason;
};

export type IsolatedBrowsers = {
  /** Gives the work a browser of its own, which ends with it. */
  run<T>(kind: RenderMode, work: (instance: BrowserInstance) => Promise<T>): Promise<T>;
  /** Those that are up. */
  instances(): BrowserInstance[];
};

/** Browsers for one document each: for documents in whose company others came to an end, and for the innocent among them. */
export const openIsolatedBrowsers = (open: (kind: RenderMode) => Promise<BrowserInstance>): IsolatedBrowsers => {
  const up = new Set<BrowserInstance>();
  return {
    run: async (kind, work) => {
      const instance = await open(kind);
      up.add(instance);
      try {
        return await work(instance);
      } finally {
        await instance.browser.close();
        up.delete(instance);
      }
    },
    instances: () => [...up],
  };
};
