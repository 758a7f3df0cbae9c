import { setTimeout as pause } from 'node:timers/promises';
import { marginSides, type RenderOptions } from '#contracts/http/render-options.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluate } from './evaluate.ts';

/**
 * The rule that takes the page size and margins from the request, and not from the document's @page rules, whose size
 * or margin would shrink the text and put it under the header and footer.
 */
const pageRule = ({ css_page: cssPage }: Pick<RenderOptions, 'css_page'>): string => {
  const sides = marginSides.filter((side) => !cssPage?.margins.includes(side));
  const declarations = [
    ...(cssPage?.size ? [] : ['size:auto!important']),
    ...sides.map((side) => `margin-${side}:revert!important`),
  ];
  return `@page{${declarations.join(';')}}`;
};

/**
 * Runs in the page, and adds the rule for pages. Finite animations go to their end. Endless ones go to their start;
 * for a progress bar without a value that is the empty bar. Lazy images are loaded. The value is true while fonts or
 * images are still loading.
 */
const stabiliseExpression = String.raw`((pageRule) => {
  const attempt = (act) => { try { return act(); } catch {} };
  const isEndless = (part) => [part.getAttribute('repeatCount'), part.getAttribute('repeatDur')].includes('indefinite');
  const durationOf = (part) => part.getSimpleDuration() * (Number(part.getAttribute('repeatCount')) || 1);
  const endOf = (part) => attempt(() => part.getStartTime() + durationOf(part)) ?? 0;
  const restDrawing = (drawing) => {
    const parts = [...drawing.querySelectorAll('animate,animateTransform,animateMotion,set')];
    if (parts.length === 0) return;
    const end = Math.max(0, ...parts.filter((part) => !isEndless(part)).map(endOf)) + 1;
    for (const part of parts) if (isEndless(part)) part.setAttribute('begin', end + 's');
    drawing.pauseAnimations();
    drawing.setCurrentTime(end);
  };
  const restAnimation = (animation) => {
    if (animation.effect.getComputedTiming().endTime !== Infinity) return animation.finish();
    animation.pause();
    animation.currentTime = 0;
  };
  if (!document.querySelector('style[data-colophon]')) {
    const style = document.createElementNS('http://www.w3.org/1999/xhtml', 'style');
    style.dataset.colophon = '';
    style.textContent = pageRule;
    (document.head ?? document.documentElement)?.append(style);
  }
  document.body?.getBoundingClientRect();
  for (const animation of document.getAnimations()) attempt(() => restAnimation(animation));
  for (const drawing of document.querySelectorAll('svg')) if (!drawing.ownerSVGElement) attempt(() => restDrawing(drawing));
  for (const bar of document.querySelectorAll('progress:not([value])')) bar.value = 0;
  for (const image of document.querySelectorAll('img[loading=lazy]')) image.loading = 'eager';
  document.body?.getBoundingClientRect();
  return document.fonts.status === 'loading' || [...document.images].some((image) => !image.complete);
})`;

/**
 * Brings a document to a stable state for printing: with `wait` once its fonts and images are loaded, with `skip`
 * without them.
 */
export const stabilise = async (
  session: Session,
  options: Pick<RenderOptions, 'css_page'>,
  pendingResources: 'wait' | 'skip' = 'wait',
): Promise<void> => {
  const expression = `${stabiliseExpression}(${JSON.stringify(pageRule(options))})`;
  for (let delayMs = 2; ; delayMs = Math.min(delayMs * 2, 100)) {
    const isLoading = await evaluate(session, expression);
    if (isLoading !== true || pendingResources === 'skip') return;
    await pause(delayMs);
  }
};
