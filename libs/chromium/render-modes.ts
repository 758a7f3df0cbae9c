import { setTimeout as pause } from 'node:timers/promises';
import type { FitHeaderFooter } from './header-footer/fit.ts';
import type { RenderMode } from './browsers/flags.ts';
import { emulate, fill, fillUntil, holdInPlace, setViewport } from './document/fill.ts';
import { listen } from './document/console.ts';
import { readFonts } from './document/fonts-used.ts';
import type { BrowserInstance } from './browsers/instance.ts';
import { untilAborted, type Page } from './browsers/page.ts';
import { watchTraffic } from './document/idle.ts';
import { printPage } from './pdf/print.ts';
import { noHeaderFooter } from './pdf/parameters.ts';
import type { Printed, PrintRequest } from './request.ts';
import { watchResources } from './document/resources.ts';
import { watchScripts } from './document/script-budget.ts';
import { stabilise } from './document/stabilise.ts';

export type ProcedureTools = { fitHeaderFooter: FitHeaderFooter };
type Run = ProcedureTools & { signal: AbortSignal; /** When the document came, by performance.now(). */ asked: number };

/** A way through the browsers: which browser, which line of waiting documents, and how a document is printed there. */
export type Procedure = {
  browser: RenderMode;
  queue: 'kept' | RenderMode;
  print(instance: BrowserInstance, request: PrintRequest, run: Run): Promise<Printed>;
};

const hasHeaderFooter = ({ options }: PrintRequest) => options.header_html !== null || options.footer_html !== null;

const finish = async (page: Page, instance: BrowserInstance, request: PrintRequest, { asked, fitHeaderFooter, signal }: Run, started: number): Promise<Printed> => {
  const bands = hasHeaderFooter(request) ? await fitHeaderFooter(page, request, signal) : noHeaderFooter;
  const loaded = performance.now();
  const { pdf, pages } = await printPage(page, request, bands);
  const printed = performance.now();
  if (request.findings) await readFonts(page.session, request.findings);
  return { pdf, pages, timings: { waitMs: started - asked, loadMs: loaded - started, printMs: printed - loaded }, warnings: [], engine: instance.browser.version };
};

const keptStatic: Procedure = {
  browser: 'static',
  queue: 'kept',
  print: async (instance, request, run) => {
    // Nothing in such a document changes while it waits, so it waits before it takes a page from another.
    if (request.options.wait_time > 0) await pause(request.options.wait_time, undefined, { signal: run.signal });
    return instance.withKeptPage((page) =>
      untilAborted(page, run.signal, async () => {
        const started = performance.now();
        await emulate(page, request.options.emulate_media);
        await fill(page, request.html);
        if (request.classification.needsStabilising) await stabilise(page.session);
        return finish(page, instance, request, run, started);
      }),
    );
  },
};

const freshPrint = (scripts: 'on' | 'off'): Procedure['print'] => (instance, request, run) =>
  instance.withFreshPage({ scripts, network: request.classification.external ? 'proxy' : 'none' }, (page) =>
    untilAborted(page, run.signal, () => Promise.race([page.failed, freshWork(page, instance, request, run, scripts)])),
  );

const freshWork = async (page: Page, instance: BrowserInstance, request: PrintRequest, run: Run, scripts: 'on' | 'off'): Promise<Printed> => {
  const { options, limits, classification: { external } } = request;
  const started = performance.now();
  page.proxy?.assign(request.group ?? '');
  // Without scripts and network nothing can be fetched after the load event.
  const mayFetchLate = external || scripts === 'on';
  if (request.findings) await listen(page.session, request.findings);
  const [watch, traffic] = await Promise.all([
    external ? watchResources(page.session, page.proxy?.url) : undefined,
    options.wait_for === 'networkidle' && mayFetchLate ? watchTraffic(page.session) : undefined,
    emulate(page, options.emulate_media),
    holdInPlace(page),
    scripts === 'on' ? setViewport(page, options) : undefined,
  ]);
  const stopScriptWatch = scripts === 'on' ? await watchScripts(page, { scriptMs: limits.scriptMs, heapMb: instance.browser.memory.heapMb }) : undefined;
  try {
    await fillUntil(page, request.html, options.wait_for === 'domcontentloaded' ? 'DOMContentLoaded' : 'load');
    await traffic?.idle(run.signal);
    if (options.wait_time > 0) await pause(options.wait_time, undefined, { signal: run.signal });
    await stabilise(page.session, options.wait_for === 'domcontentloaded' ? 'leave' : 'wait');
    const warnings = (await watch?.judge()) ?? [];
    return { ...(await finish(page, instance, request, run, started)), warnings };
  } finally {
    stopScriptWatch?.();
  }
};

const freshStatic: Procedure = { browser: 'static', queue: 'static', print: freshPrint('off') };
const scripted: Procedure = { browser: 'scripted', queue: 'scripted', print: freshPrint('on') };
const animated: Procedure = { browser: 'animated', queue: 'animated', print: freshPrint('on') };

/** The fastest way that is safe for the document. */
export const procedureFor = (request: PrintRequest): Procedure => {
  const { classification: { scripts, frames, external, marksPage }, options, findings } = request;
  if (scripts) return frames || external || options.wait_time > 0 || options.wait_for === 'networkidle' ? animated : scripted;
  return external || findings || marksPage ? freshStatic : keptStatic;
};
