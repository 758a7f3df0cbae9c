import type { PrintRequest } from './request.ts';

/** By name: what stands still without frames; and whatever brings in script from elsewhere, or hides what it says. */
const signs = new RegExp(
  [
    'requestAnimationFrame|requestIdle|requestVideo|Observer|animat|transition|decode|scroll|resize|matchMedia|video|iframe',
    String.raw`\bsrc\b|import|worker|eval|(?-i:\bFunction\b)|atob|fromC|unescape|\\[ux]|\bon\w+\s*=[^>]*&`,
  ].join('|'),
  'i',
);

/**
 * Whether the scripts of a document may wait for screen frames; in doubt they may. Without frames the callbacks of `requestAnimationFrame`, observers and
 * transitions never come.
 */
export const mayNeedFrames = ({ html, external, options }: PrintRequest): boolean =>
  external || options.wait_time > 0 || options.wait_for === 'networkidle' || signs.test(html);
