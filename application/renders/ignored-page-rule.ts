import { truncateText } from '#contracts/events/bounded.ts';
import type { RenderWarning } from '#contracts/events/render-warnings.ts';
import { marginSides, type NamedRenderOptions, type RenderOptions } from '#contracts/http/render-options.ts';
import { sheetSize } from '#libs/chromium/pdf/page-geometry.ts';
import type { PageRule } from '#libs/documents/html/page-rule.ts';
import type { PreparedDocument } from '#libs/documents/prepared-document.ts';

/** Millimetres. Letter and A4 differ by more. */
const tolerance = 0.5;

/**
 * As many rules are named, each with so many bytes of its selector as JSON: `size and margin in @page ` twice, with
 * `and 19 more`, then fit into the 100 bytes of a feature.
 */
const maxRules = 2;
const maxSelectorBytes = 19;

type Declarations = Pick<PageRule, 'size' | 'landscape' | 'margins'>;

const differsInSize = ({ size, landscape }: Declarations, options: RenderOptions): boolean => {
  const { width, height } = sheetSize(options);
  if (size) return Math.abs(size.width - width) > tolerance || Math.abs(size.height - height) > tolerance;
  return landscape !== undefined && landscape !== width > height;
};

/** Those of the names that a `page` property in the text may give to elements. A match outside of CSS does no harm. */
const findUsedNames = (html: string, names: ReadonlySet<string>): Set<string> => {
  const used = new Set<string>();
  if (names.size === 0) return used;
  for (const [, name = ''] of html.matchAll(/(?<![\w-])page\s*:\s*([^\s;:!{}<"']+)/gi))
    if (names.has(name)) used.add(name);
  return used;
};

const nameIn = (selector: string): string => selector.split(':', 1)[0] ?? '';

/**
 * The warning that the `@page` rules of a document, for all pages or for some as `:first` or `wide`, say something else
 * about them than they are, if no option decides it: neither prefer_css_page_size nor one for the size or the margins. A
 * rule for pages with a name that no `page` property has is not in it. A size that the browser does not know has a
 * warning already.
 */
export const ignoredPageRuleWarnings = (
  { html, classification: { pageRule }, warnings = [] }: Pick<PreparedDocument, 'html' | 'classification' | 'warnings'>,
  named: NamedRenderOptions,
  options: RenderOptions,
): RenderWarning[] => {
  if (!pageRule || named.prefer_css_page_size !== undefined) return [];
  const isSizeNamed = [named.page_size, named.width, named.orientation].some((option) => option !== undefined);
  const isSizeUnknown = warnings.some((one) => one.kind === 'feature_ignored' && one.feature.startsWith('size: '));
  const differsInMargins = ({ margins }: Declarations): boolean =>
    marginSides.some((side) => {
      const margin = named[`margin_${side}`] === undefined ? margins[side] : undefined;
      return margin !== undefined && Math.abs(margin - options[`margin_${side}`]) > tolerance;
    });
  const { selected = {}, ...general } = pageRule;
  const differing = [['', general] as const, ...Object.entries(selected)].flatMap(([selector, said]) => {
    const properties = [
      ...(!isSizeNamed && !isSizeUnknown && differsInSize(said, options) ? ['size'] : []),
      ...(differsInMargins(said) ? ['margin'] : []),
    ];
    return properties.length === 0 ? [] : [{ selector, properties }];
  });
  const names = new Set(differing.map(({ selector }) => nameIn(selector)).filter((name) => name !== ''));
  const usedNames = findUsedNames(html, names).add('');
  const ignored = differing
    .filter(({ selector }) => usedNames.has(nameIn(selector)))
    .map(({ selector, properties }) =>
      `${properties.join(' and ')} in @page ${truncateText(selector, maxSelectorBytes)}`.trimEnd(),
    );
  if (ignored.length === 0) return [];
  const reason =
    'The options decide the pages. Set prefer_css_page_size to true for the pages of the document, or to false to ' +
    'ignore them without a warning.';
  const more = ignored.length > maxRules ? ` and ${ignored.length - maxRules} more` : '';
  return [{ kind: 'feature_ignored', feature: ignored.slice(0, maxRules).join(', ') + more, reason }];
};
