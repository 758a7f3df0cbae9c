import { setTimeout as pause } from 'node:timers/promises';
import type { SetBands } from './band-setter.ts';
import type { BrowserKind } from './flags.ts';
import { emulate, fill, fillUntil, holdInPlace, setWindow } from './document.ts';
import { listen } from './console.ts';
import { readFonts } from './fonts-used.ts';
import type { House } from './house.ts';
import { untilAborted, type Page } from './page.ts';
import { watchTraffic } from './idle.ts';
import { press } from './press.ts';
import { noBands } from './print-options.ts';
import type { Printed, PrintRequest } from './request.ts';
import { watchResources } from './resources.ts';
import { watchScripts } from './script-budget.ts';
import { settle } from './settle.ts';

export type LaneTools = { setBands: SetBands };
type Errand = LaneTools & { signal: AbortSignal; /** When the document came, by performance.now(). */ asked: number };

/** A way through the browsers: which browser, which line of waiting documents, and how a document is printed there. */
export type Lane = {
  browser: BrowserKind;
  queue: 'kept' | BrowserKind;
  print(house: House, request: PrintRequest, errand: Errand): Promise<Printed>;
};

const hasBands = ({ options }: PrintRequest) => options.header_html !== null || options.footer_html !== null;

const finish = async (page: Page, house: House, request: PrintRequest, { asked, setBands, signal }: Errand, started: number): Promise<Printed> => {
  const bands = hasBands(request) ? await setBands(page, request, signal) : noBands;
  const loaded = performance.now();
  const { pdf, pages } = await press(page, request, bands);
  const pressed = performance.now();
  if (request.findings) await readFonts(page.session, request.findings);
  return { pdf, pages, timings: { waitMs: started - asked, loadMs: loaded - started, printMs: pressed - loaded }, warnings: [], engine: house.browser.version };
};

const kept: Lane = {
  browser: 'still',
  queue: 'kept',
  print: async (house, request, errand) => {
    // Nothing in such a document changes while it waits, so it waits before it takes a page from another.
    if (request.options.wait_time > 0) await pause(request.options.wait_time, undefined, { signal: errand.signal });
    return house.withKeptPage((page) =>
      untilAborted(page, errand.signal, async () => {
        const started = performance.now();
        await emulate(page, request.options.emulate_media);
        await fill(page, request.html);
        if (request.classification.needsStabilising) await settle(page.session);
        return finish(page, house, request, errand, started);
      }),
    );
  },
};

const freshPrint = (scripts: 'on' | 'off'): Lane['print'] => (house, request, errand) =>
  house.withFreshPage({ scripts, network: request.classification.external ? 'proxy' : 'none' }, (page) =>
    untilAborted(page, errand.signal, () => Promise.race([page.failed, freshWork(page, house, request, errand, scripts)])),
  );

const freshWork = async (page: Page, house: House, request: PrintRequest, errand: Errand, scripts: 'on' | 'off'): Promise<Printed> => {
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
    scripts === 'on' ? setWindow(page, options) : undefined,
  ]);
  const stopScriptWatch = scripts === 'on' ? await watchScripts(page, { scriptMs: limits.scriptMs, heapMb: house.browser.memory.heapMb }) : undefined;
  try {
    await fillUntil(page, request.html, options.wait_for === 'domcontentloaded' ? 'DOMContentLoaded' : 'load');
    await traffic?.idle(errand.signal);
    if (options.wait_time > 0) await pause(options.wait_time, undefined, { signal: errand.signal });
    await settle(page.session, options.wait_for === 'domcontentloaded' ? 'leave' : 'wait');
    const warnings = (await watch?.judge()) ?? [];
    return { ...(await finish(page, house, request, errand, started)), warnings };
  } finally {
    stopScriptWatch?.();
  }
};

const still: Lane = { browser: 'still', queue: 'still', print: freshPrint('off') };
const scripted: Lane = { browser: 'scripted', queue: 'scripted', print: freshPrint('on') };
const moving: Lane = { browser: 'moving', queue: 'moving', print: freshPrint('on') };

/** The fastest way that is safe for the document. */
export const laneOf = (request: PrintRequest): Lane => {
  const { classification: { scripts, frames, external, marksPage }, options, findings } = request;
  if (scripts) return frames || external || options.wait_time > 0 || options.wait_for === 'networkidle' ? moving : scripted;
  return external || findings || marksPage ? still : kept;
};
