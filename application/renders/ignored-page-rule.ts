import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { marginSides, type NamedRenderOptions, type RenderOptions } from '#contracts/http/render-options.ts';
import { sheetSize } from '#libs/chromium/pdf/page-geometry.ts';
import type { PageRule } from '#libs/documents/html/page-rule.ts';
import type { PreparedDocument } from '#libs/documents/prepared-document.ts';

/** Millimetres. Letter and A4 differ by more. */
const tolerance = 0.5;

const differsInSize = ({ size, landscape }: PageRule, options: RenderOptions): boolean => {
  const { width, height } = sheetSize(options);
  if (size) return Math.abs(size.width - width) > tolerance || Math.abs(size.height - height) > tolerance;
  return landscape !== undefined && landscape !== width > height;
};

/**
 * The warning that the general `@page` rule of a document says something else about the pages than they are, if no
 * option decides it: neither prefer_css_page_size nor one for the size or the margins. A size that the browser does not
 * know has a warning already.
 */
export const ignoredPageRuleWarnings = (
  { classification: { pageRule }, warnings = [] }: Pick<PreparedDocument, 'classification' | 'warnings'>,
  named: NamedRenderOptions,
  options: RenderOptions,
): RenderWarning[] => {
  if (!pageRule || named.prefer_css_page_size !== undefined) return [];
  const isSizeNamed = [named.page_size, named.width, named.orientation].some((option) => option !== undefined);
  const isSizeUnknown = warnings.some((one) => one.kind === 'feature_ignored' && one.feature.startsWith('size: '));
  const differsInMargins = marginSides.some((side) => {
    const margin = named[`margin_${side}`] === undefined ? pageRule.margins[side] : undefined;
    return margin !== undefined && Math.abs(margin - options[`margin_${side}`]) > tolerance;
  });
  const ignored = [
    ...(!isSizeNamed && !isSizeUnknown && differsInSize(pageRule, options) ? ['size'] : []),
    ...(differsInMargins ? ['margin'] : []),
  ];
  if (ignored.length === 0) return [];
  const reason =
    'The options decide the pages. Set prefer_css_page_size to true for the pages of the document, or to false to ' +
    'ignore them without a warning.';
  return [{ kind: 'feature_ignored', feature: `${ignored.join(' and ')} in @page`, reason }];
};
