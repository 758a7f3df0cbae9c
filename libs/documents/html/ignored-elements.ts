import type { IgnoredFeature } from './ignored-css.ts';

/** Elements of MathML 3 that the browser does not draw, because MathML Core does not have them. It prints what is in them. */
const ignoredElements: Readonly<Record<string, string>> = {
  mfenced: 'The brackets and separators are missing in the PDF. Write them as operators: <mo>(</mo>.',
  menclose: 'The line, box or root around its content is missing in the PDF. Use msqrt, or a border in CSS.',
  mlongdiv: 'The lines of the division are missing in the PDF.',
  mstack: 'The rows are printed side by side. Use mtable.',
};

/** What of these elements has no effect, unless a script such as MathJax draws them. */
export const findIgnoredElements = (tagNames: ReadonlySet<string>): IgnoredFeature[] =>
  Object.entries(ignoredElements).flatMap(([feature, reason]) => (tagNames.has(feature) ? [{ feature, reason }] : []));
