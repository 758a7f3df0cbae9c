import type { Session } from '../cdp/connection.ts';

/**
 * Runs in the page. The request says how the sheet is, not the document's @page: a sheet or margin from there would shrink the text and lie under the
 * bands. Finite animations go to their end and endless ones to their start, which for a progress bar without a value is the empty bar; pictures that wait for
 * a reader to scroll load at once; the value says whether fonts or pictures are still on their way.
 */
const stabiliseExpression = String.raw`(() => {
  const attempt = (act) => { try { return act(); } catch {} };
  const isEndless = (part) => [part.getAttribute('repeatCount'), part.getAttribute('repeatDur')].includes('indefinite');
  const endOf = (part) => attempt(() => part.getStartTime() + part.getSimpleDuration() * (Number(part.getAttribute('repeatCount')) || 1)) ?? 0;
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
    const style = document.createElement('style');
    style.dataset.colophon = '';
    style.textContent = '@page{size:auto!important;margin:revert!important}';
    (document.head ?? document.documentElement).append(style);
  }
  document.body?.getBoundingClientRect();
  for (const animation of document.getAnimations()) attempt(() => restAnimation(animation));
  for (const drawing of document.querySelectorAll('svg')) if (!drawing.ownerSVGElement) attempt(() => restDrawing(drawing));
  for (const bar of document.querySelectorAll('progress:not([value])')) bar.value = 0;
  for (const image of document.querySelectorAll('img[loading=lazy]')) image.loading = 'eager';
  document.body?.getBoundingClientRect();
  return document.fonts.status === 'loading' || [...document.images].some((image) => !image.complete);
})()`;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Brings a document to the state in which it is printed; with `wait` only once its fonts and pictures are there, with `leave` as it stands. */
export const stabilise = async (session: Session, pendingResources: 'wait' | 'skip' = 'wait'): Promise<void> => {
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    const { result } = await session.send('Runtime.evaluate', { expression: stabiliseExpression, returnByValue: true });
    if (result.value !== true || pendingResources === 'skip') return;
    await pause(wait);
  }
};
