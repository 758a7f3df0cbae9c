import type { DefaultTreeAdapterTypes, Token } from 'parse5';
import type { DocumentMetadata } from '#contracts/http/pdf-metadata.ts';
import { type Budget, unlimitedBudget } from '../budget.ts';
import { addBrokenImage, type BrokenImage, hasSources } from './broken-images.ts';
import { findElementResources } from './element-resources.ts';
import { type UnfinishedInput, isUnfinishedError, locateUnfinishedInput } from './unfinished-input.ts';
import { styleSheetInLink } from './linked-style-sheet.ts';
import { mayApplyToPrint, mergePageRules, type PageRule } from './page-rule.ts';
import { findIgnoredFeatures, type IgnoredFeature } from './ignored-css.ts';
import { findIgnoredElements } from './ignored-elements.ts';
import { addMetaElement } from './meta-elements.ts';
import { leavesPageState, elementNeedsStabilising } from './page-effects.ts';
import { firstRefresh, type Refresh, refreshOfElement } from './refresh.ts';
import { mayNeedFrames, mayFetch, scriptReason, scriptReadableText } from './scripts.ts';
import { parseWithHandlers, type TagContext } from './html-parser.ts';
import { readStyleSheet } from './style-sheet.ts';
import {
  addLayoutOfElement,
  type LayoutOfElements,
  type WaysToLoseContent,
  waysToLoseContent,
} from './ways-to-lose-content.ts';

/** What a document needs from the browser. In doubt, each member has the safe value. */
export type Classification = {
  /** Whether it may run scripts. */
  scripts: boolean;
  /** The reason for `scripts`, for diagnostics: `script element on line 12`. */
  reason: string;
  /** Whether it may make the browser fetch from the network. */
  external: boolean;
  /** Whether its scripts may wait for screen frames. */
  needsFrames: boolean;
  /**
   * Whether it may change its page for the next document: a policy, a colour scheme, link colours, a preferred style
   * sheet.
   */
  leavesPageState: boolean;
  /**
   * Whether it may need to be stabilised before it is printed: animations, fonts, style sheets, a page size of its own.
   */
  needsStabilising: boolean;
  /** How it can lose content that exceeds the page. */
  waysToLoseContent: WaysToLoseContent;
  /** The first refresh that it contains, with its absolute URL. */
  refresh: Refresh | undefined;
  /** What its style elements say about the pages. */
  pageRule?: PageRule;
};

export const scriptFreeClassification: Classification = {
  scripts: false,
  reason: 'no scripts',
  external: false,
  needsFrames: false,
  leavesPageState: false,
  needsStabilising: false,
  waysToLoseContent: 'none',
  refresh: undefined,
};

/** A page at a URL. Its content is not known before it is loaded. */
export const pageClassification: Classification = {
  scripts: true,
  reason: 'page at a URL',
  external: true,
  needsFrames: true,
  leavesPageState: true,
  needsStabilising: true,
  waysToLoseContent: 'other',
  refresh: undefined,
};

/** Further details of a document, for its checks. */
export type HtmlDetails = {
  baseUrl: string | undefined;
  /** URLs, as written, of images outside the document. Lines count from 1; absent in a document made from another one. */
  images: { url: string; line?: number | undefined }[];
  /** The first image of a data: URL that no browser can show, in a document without scripts. */
  brokenImage: BrokenImage | undefined;
  /** Those of which a browser shows only the beginning, in such a document: the first 20, each once. */
  truncatedImages: BrokenImage[];
  /** The contents of the meta elements that describe the document. */
  metadata: DocumentMetadata;
  /** Whether the html element names the language. */
  namesLanguage: boolean;
  /** What has no effect in its style sheets, style attributes and formulas, each once. */
  ignoredFeatures: IgnoredFeature[];
  /** Set if the input ends too early. */
  unfinished: UnfinishedInput | undefined;
};

type Element = DefaultTreeAdapterTypes.Element;
type StyleSheet = { css: string; media: string };
/** `stylesBefore` is the number of style elements before it. */
type LinkedSheet = StyleSheet & { stylesBefore: number };
type ClassificationState = Omit<Classification, 'waysToLoseContent' | 'refresh' | 'pageRule'> &
  Omit<HtmlDetails, 'unfinished' | 'ignoredFeatures'> & {
    refreshes: Refresh[];
    layout: LayoutOfElements;
    /** The names of elements that begin with m, as most of MathML do. */
    mathElements: Set<string>;
    isUnfinished: boolean;
    /** Whether an image can have another source. */
    hasPicture: boolean;
    /** The style sheets of links with data: URLs. */
    linkedSheets: LinkedSheet[];
    budget: Budget;
  };

/**
 * Parses a document by the HTML standard and finds out what it needs from a browser. Spends one unit of the budget for
 * each element, and the units of {@link readStyleSheet}.
 * @throws what the budget throws
 */
export const classify = (
  html: string,
  budget: Budget = unlimitedBudget,
): { classification: Classification; details: HtmlDetails } => {
  const state: ClassificationState = {
    ...scriptFreeClassification,
    baseUrl: undefined,
    images: [],
    brokenImage: undefined,
    truncatedImages: [],
    metadata: { authors: [], keywords: [] },
    namesLanguage: false,
    refreshes: [],
    layout: { styles: [], outside: false, other: false },
    mathElements: new Set(),
    isUnfinished: false,
    hasPicture: false,
    linkedSheets: [],
    budget,
  };
  const { document, styles } = parseWithHandlers(html, false, {
    onTag: (tag, context, parser) => inspectTag(state, tag, context, parser.tokenizer.preprocessor.line),
    onElement: () => budget.spend(1),
    onError: (code) => (state.isUnfinished ||= isUnfinishedError(code)),
  });
  // Finding where the input is unfinished parses it again.
  if (state.isUnfinished) budget.spend(html.length);
  let pageRule: PageRule | undefined;
  const waysOfSheets: WaysToLoseContent[] = [];
  const ignored = state.layout.styles.flatMap((style) => findIgnoredFeatures(style, 'element'));
  if (!state.scripts) ignored.push(...findIgnoredElements(state.mathElements));
  for (const { css, media } of sheetsInOrder(styles, state.linkedSheets)) {
    const sheet = readStyleSheet(css, budget);
    waysOfSheets.push(sheet.waysToLoseContent);
    state.external ||= sheet.external;
    state.needsStabilising ||= sheet.needsStabilising;
    if (!mayApplyToPrint(media)) continue;
    pageRule = mergePageRules(pageRule, sheet.pageRule);
    ignored.push(...sheet.ignored);
  }
  if (state.scripts) {
    const text = scriptReadableText(document);
    state.external ||= mayFetch(text);
    state.needsFrames = mayNeedFrames(text);
  }
  const {
    scripts,
    reason,
    needsFrames,
    leavesPageState: leavesPage,
    needsStabilising,
    baseUrl,
    images,
    brokenImage,
    truncatedImages,
    metadata,
    namesLanguage,
  } = state;
  // A script, or a source of a picture element, may replace an image.
  const mayReplaceImages = scripts || state.hasPicture;
  const external = state.external || baseUrl !== undefined;
  return {
    classification: {
      scripts,
      reason,
      needsFrames,
      leavesPageState: leavesPage,
      needsStabilising,
      external,
      waysToLoseContent: scripts || external ? 'other' : waysToLoseContent(html, waysOfSheets, state.layout),
      refresh: firstRefresh(state.refreshes, baseUrl),
      ...(pageRule && { pageRule }),
    },
    details: {
      baseUrl,
      images,
      brokenImage: mayReplaceImages ? undefined : brokenImage,
      truncatedImages: mayReplaceImages ? [] : truncatedImages,
      metadata,
      namesLanguage,
      ignoredFeatures: [...new Map(ignored.map((one) => [one.feature, one])).values()],
      unfinished: state.isUnfinished ? locateUnfinishedInput(html) : undefined,
    },
  };
};

const inspectTag = (
  state: ClassificationState,
  { tagName, attrs }: Token.TagToken,
  { inTemplate, inSelect, stylesBefore }: TagContext,
  line: number,
): void => {
  const reason = state.scripts ? undefined : scriptReason(tagName, attrs, inSelect);
  if (reason !== undefined) {
    state.scripts = true;
    state.reason = `${reason} on line ${line}`;
  }
  state.needsStabilising ||= elementNeedsStabilising(tagName);
  addLayoutOfElement(state.layout, tagName, attrs);
  if (!inTemplate && tagName.startsWith('m')) state.mathElements.add(tagName);
  if (attrs.length === 0) return;
  state.leavesPageState ||= leavesPageState(tagName, attrs);
  if (tagName === 'html')
    state.namesLanguage ||= attrs.some(({ name, value }) => name === 'lang' && value.trim() !== '');
  if (tagName === 'meta' && !inTemplate) addMetaElement(state.metadata, attrs);
  if (tagName === 'base') state.baseUrl ??= attrs.find(({ name }) => name === 'href')?.value;
  if (tagName === 'link' && !inTemplate) addLinkedSheet(state.linkedSheets, stylesBefore, attrs);
  const refresh = inTemplate ? undefined : refreshOfElement(tagName, attrs);
  if (refresh) state.refreshes.push(refresh);
  if (!inTemplate && tagName === 'source' && hasSources(attrs)) state.hasPicture = true;
  if (!inTemplate) addBrokenImage(state, tagName, attrs, line);
  const resources = findElementResources(tagName, attrs, state.budget);
  if (!resources) return;
  state.external = true;
  if (!inTemplate) for (const url of resources.images) state.images.push({ url, line });
};

const addLinkedSheet = (sheets: LinkedSheet[], stylesBefore: number, attrs: readonly Token.Attribute[]): void => {
  const attributes = new Map(attrs.map(({ name, value }) => [name, value]));
  const css = styleSheetInLink(attributes);
  if (css !== undefined) sheets.push({ css, media: attributes.get('media') ?? '', stylesBefore });
};

/** The style sheets in the order of the document, in which later ones have priority. */
const sheetsInOrder = (styles: readonly Element[], linked: readonly LinkedSheet[]): StyleSheet[] => {
  const linkedAfter = Map.groupBy(linked, ({ stylesBefore }) => stylesBefore);
  return [
    ...(linkedAfter.get(0) ?? []),
    ...styles.flatMap((element, index) => [
      { css: textOf(element), media: attributeOf(element, 'media') },
      ...(linkedAfter.get(index + 1) ?? []),
    ]),
  ];
};

const attributeOf = ({ attrs }: Element, wanted: string): string =>
  attrs.find(({ name }) => name === wanted)?.value ?? '';

const textOf = ({ childNodes }: Element): string =>
  childNodes.map((node) => ('value' in node ? node.value : '')).join('');
