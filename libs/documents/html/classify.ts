import type { DefaultTreeAdapterTypes, Token } from 'parse5';
import { type Budget, unlimitedBudget } from '../budget.ts';
import { findElementResources } from './element-resources.ts';
import { findCssResources } from './css-resources.ts';
import { type UnfinishedInput, isUnfinishedError, locateUnfinishedInput } from './unfinished-input.ts';
import { leavesPageState, elementNeedsStabilising, styleSheetNeedsStabilising } from './page-effects.ts';
import { firstRefresh, type Refresh, refreshOfElement } from './refresh.ts';
import { mayNeedFrames, mayFetch, scriptReason, scriptReadableText } from './scripts.ts';
import { parseWithHandlers, type TagContext } from './html-parser.ts';

/** What a document asks of the browser that prints it. Each answer is the careful one where there is a doubt. */
export type Classification = {
  /** Whether it could run anything. */
  scripts: boolean;
  /** Why, or why not: `script element on line 12`. Short, for diagnostics. */
  reason: string;
  /** Whether anything could make the browser fetch from the network. */
  external: boolean;
  /** Whether its scripts could wait for screen frames. */
  needsFrames: boolean;
  /** Whether something of it could stay in its page for the document after it: a policy, a color scheme, the colors of links, a preferred style sheet. */
  leavesPageState: boolean;
  /** Whether it could hold what has to be stabilised before the print: animations, fonts, style sheets, a sheet of its own size. */
  needsStabilising: boolean;
  /** The first refresh that it asks for by itself, with its full address. */
  refresh: Refresh | undefined;
};

/** The class of a document in which there is nothing but text. */
export const scriptFreeClassification: Classification = {
  scripts: false,
  reason: 'nothing that runs',
  external: false,
  needsFrames: false,
  leavesPageState: false,
  needsStabilising: false,
  refresh: undefined,
};

/** What was found beside, for those who take documents in. */
export type HtmlDetails = {
  /** What `<base href>` says, if anything. */
  baseUrl: string | undefined;
  /** Addresses, as written, of pictures that are not in the document itself. Lines count from 1. */
  images: { url: string; line: number }[];
  /** Set where the input ends too early. */
  unfinished: UnfinishedInput | undefined;
};

type Element = DefaultTreeAdapterTypes.Element;
type ClassificationState = Omit<Classification, 'refresh'> &
  Omit<HtmlDetails, 'unfinished'> & {
    refreshes: Refresh[];
    sheets: Element[];
    isUnfinished: boolean;
    budget: Budget;
  };

/**
 * Parses a document once by the HTML standard, and says what it asks of a browser. It spends one unit of the budget for
 * each element, and what {@link findCssResources} spends. @throws what the budget throws
 */
export const classify = (
  html: string,
  budget: Budget = unlimitedBudget,
): { classification: Classification; details: HtmlDetails } => {
  const seen: ClassificationState = {
    ...scriptFreeClassification,
    baseUrl: undefined,
    images: [],
    refreshes: [],
    sheets: [],
    isUnfinished: false,
    budget,
  };
  const document = parseWithHandlers(html, false, {
    onTag: (tag, place, parser) => {
      inspectTag(seen, tag, place, () => parser.tokenizer.preprocessor.line);
      const { current } = parser.openElements;
      if (tag.tagName === 'style' && current && 'tagName' in current && current.tagName === 'style')
        seen.sheets.push(current);
    },
    onElement: () => budget.spend(1),
    onError: (code) => (seen.isUnfinished ||= isUnfinishedError(code)),
  });
  // Where the document is cut, it is read once more.
  if (seen.isUnfinished) budget.spend(html.length);
  for (const sheet of seen.sheets.map(textOf)) {
    seen.external ||= findCssResources(sheet, 'stylesheet', budget).external;
    seen.needsStabilising ||= styleSheetNeedsStabilising(sheet);
  }
  if (seen.scripts) {
    const words = scriptReadableText(document);
    seen.external ||= mayFetch(words);
    seen.needsFrames = mayNeedFrames(words);
  }
  const { scripts, reason, external, needsFrames, leavesPageState: marks, needsStabilising, baseUrl, images } = seen;
  return {
    classification: {
      scripts,
      reason,
      needsFrames,
      leavesPageState: marks,
      needsStabilising,
      external: external || baseUrl !== undefined,
      refresh: firstRefresh(seen.refreshes, baseUrl),
    },
    details: { baseUrl, images, unfinished: seen.isUnfinished ? locateUnfinishedInput(html) : undefined },
  };
};

const inspectTag = (
  seen: ClassificationState,
  { tagName, attrs }: Token.TagToken,
  { inTemplate, inSelect }: TagContext,
  line: () => number,
): void => {
  const reason = seen.scripts ? undefined : scriptReason(tagName, attrs, inSelect);
  if (reason !== undefined) {
    seen.scripts = true;
    seen.reason = `${reason} on line ${line()}`;
  }
  seen.needsStabilising ||= elementNeedsStabilising(tagName);
  if (attrs.length === 0) return;
  seen.leavesPageState ||= leavesPageState(tagName, attrs);
  if (tagName === 'base') seen.baseUrl ??= attrs.find(({ name }) => name === 'href')?.value;
  const refresh = inTemplate ? undefined : refreshOfElement(tagName, attrs);
  if (refresh) seen.refreshes.push(refresh);
  const reach = findElementResources(tagName, attrs, seen.budget);
  if (!reach) return;
  seen.external = true;
  if (!inTemplate) for (const address of reach.images) seen.images.push({ url: address, line: line() });
};

const textOf = ({ childNodes }: Element): string =>
  childNodes.map((node) => ('value' in node ? node.value : '')).join('');
