import { ApiError } from '#contracts/http/api-error.ts';
import type { DocumentProxy } from '#libs/egress/egress.ts';
import type { Session } from '../cdp/connection.ts';
import { BrowserGone } from '../cdp/errors.ts';
import { unreachableProxy } from './flags.ts';
import type { Browser } from './launch.ts';
import { heapExceededError } from './memory.ts';
import { defaultViewport, type Viewport, viewportMetrics } from '../pdf/parameters.ts';

export type PageOptions = {
  scripts: 'on' | 'off';
  /** `proxy`: through a proxy of its own. `none`: no network. */
  network: 'proxy' | 'none';
};

export type Page = {
  session: Session;
  /** The only network access of a page that may fetch. */
  proxy: DocumentProxy | undefined;
  frameId: string;
  media: 'print' | 'screen';
  viewport: Viewport;
  /** Rejects when the page fails; never resolves. */
  failed: Promise<never>;
  alive: boolean;
  /** The last known heap size of the scripts; identifies a crash for lack of memory. */
  heapMb: number;
  fail(error: Error): void;
  /** Closes the page and its context: cookies, cache, storage, processes. */
  close(): Promise<void>;
};

const crashError = ({ memory }: Browser, { heapMb }: Page): Error => {
  const killed = memory.takeRecentError();
  if (killed) return killed;
  if (heapMb > memory.heapLimitMb * 0.6) return heapExceededError(memory.heapLimitMb);
  return new BrowserGone('The process of the page ended.');
};

const windowClosedError = () =>
  ApiError.of('conversion_failed', 'The document closed its own window before it was rendered.', {
    details: { reason: 'closed_itself' },
  });

const disposeContext = ({ devtools }: Browser, browserContextId: string): Promise<void> =>
  devtools.send('Target.disposeBrowserContext', { browserContextId }).catch(() => undefined);

/** The window is not shown. In one with the height of the viewport, a document with frames took a quarter more processor time. */
const windowHeight = 1;

const attachPage = async (
  browser: Browser,
  browserContextId: string,
  proxy: DocumentProxy | undefined,
): Promise<Page> => {
  const { devtools } = browser;
  const { targetId } = await devtools.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
    enableBeginFrameControl: browser.framelessPages,
    width: defaultViewport.width,
    height: windowHeight,
  });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const session = devtools.session(sessionId);

  const failed = session.nextEvent('Inspector.detached', () => false) as Promise<never>;
  failed.catch(() => (page.alive = false));
  const page: Page = {
    session,
    proxy,
    frameId: '',
    media: 'print',
    viewport: defaultViewport,
    failed,
    alive: true,
    heapMb: 0,
    fail: (error) => session.fail(error),
    close: async () => {
      offDetached();
      await disposeContext(browser, browserContextId);
      devtools.removeSession(sessionId);
      await proxy?.close();
    },
  };

  const offDetached = devtools.on('Target.detachedFromTarget', (event) => {
    if (event.sessionId === sessionId) session.fail(windowClosedError());
  });
  session.on('Inspector.targetCrashed', () => session.fail(crashError(browser, page)));
  session.on(
    'Page.javascriptDialogOpening',
    () => void session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined),
  );
  return page;
};

const preparePage = async (
  page: Page,
  { devtools }: Browser,
  { scripts }: PageOptions,
  browserContextId: string,
): Promise<void> => {
  const { session } = page;
  const loaded = session.nextEvent('Page.loadEventFired', () => true);
  loaded.catch(() => undefined);
  const [{ frameTree }] = await Promise.all([
    session.send('Page.getFrameTree'),
    session.send('Inspector.enable'),
    session.send('Page.enable'),
    session.send('Emulation.setEmulatedMedia', { media: 'print' }),
    session.send('Emulation.setDeviceMetricsOverride', viewportMetrics(page.viewport)),
    devtools.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    ...(scripts === 'off' ? [session.send('Emulation.setScriptExecutionDisabled', { value: true })] : []),
  ]);
  page.frameId = frameTree.frame.id;
  // The load event of the initial empty document must not be mistaken for that of the first document.
  const { result } = await session.send('Runtime.evaluate', { expression: 'document.readyState' });
  if (result.value !== 'complete') await loaded;
};

const openPageBehindProxy = async (
  browser: Browser,
  options: PageOptions,
  proxy: DocumentProxy | undefined,
): Promise<Page> => {
  const contextOptions = {
    disposeOnDetach: true,
    proxyServer: proxy?.url ?? unreachableProxy,
    proxyBypassList: '<-loopback>',
  };
  const { browserContextId } = await browser.devtools.send('Target.createBrowserContext', contextOptions);
  let close = () => disposeContext(browser, browserContextId);
  try {
    const page = await attachPage(browser, browserContextId, proxy);
    close = () => page.close();
    await preparePage(page, browser, options, browserContextId);
    return page;
  } catch (error) {
    void close();
    throw error;
  }
};

/**
 * Opens a page in its own browser context: print media, dialogs dismissed, downloads refused. `openProxy` gives it
 * network access where it may fetch. Leaves neither context nor proxy behind if it fails.
 */
export const openPage = async (
  browser: Browser,
  options: PageOptions,
  openProxy?: () => Promise<DocumentProxy>,
): Promise<Page> => {
  const proxy = options.network === 'none' ? undefined : await openProxy?.();
  return openPageBehindProxy(browser, options, proxy).catch((error: unknown) => {
    void proxy?.close();
    throw error;
  });
};

/** An abort of the signal fails the page and so the work. */
export const failPageOnAbort = async <T>(page: Page, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  const stop = () => page.fail(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
