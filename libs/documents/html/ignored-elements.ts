import type { IgnoredFeature } from './ignored-css.ts';

/** Elements of MathML 3 that the browser does not draw, because MathML Core does not have them. It prints their contents. */
const ignoredElements: Readonly<Record<string, string>> = {
  mfenced: 'The brackets and separators are missing in the PDF. Write them as operators: <mo>(</mo>.',
  menclose: 'The line, box or root around its content is missing in the PDF. Use msqrt, or a border in CSS.',
  mlongdiv: 'The lines of the division are missing in the PDF.',
  mstack: 'The rows are printed side by side. Use mtable.',
};

/** Those of the element names, in lower case, that have no effect. A script such as MathJax may draw them, which callers check. */
export const findIgnoredElements = (tagNames: ReadonlySet<string>): IgnoredFeature[] =>
  Object.entries(ignoredElements).flatMap(([feature, reason]) => (tagNames.has(feature) ? [{ feature, reason }] : []));
