import { LRUCache } from 'lru-cache';
import type { Budget } from '../budget.ts';
import { findCssResources } from './css-resources.ts';
import { findIgnoredFeatures, type IgnoredFeature } from './ignored-css.ts';
import { styleSheetNeedsStabilising } from './page-effects.ts';
import { type PageRule, readPageRule } from './page-rule.ts';
import { cssWaysToLoseContent, type WaysToLoseContent } from './ways-to-lose-content.ts';

/** What a style sheet needs from the browser. `pageRule` is that of its `@page` rules. */
export type StyleSheet = {
  external: boolean;
  needsStabilising: boolean;
  waysToLoseContent: WaysToLoseContent;
  pageRule: PageRule | undefined;
  ignored: readonly IgnoredFeature[];
};

/** The documents of a template have the same style sheets. In characters of all sheets together. */
const maxCachedCharacters = 1_000_000;
const known = new LRUCache<string, StyleSheet>({
  maxSize: maxCachedCharacters,
  sizeCalculation: (_, sheet) => Math.max(1, sheet.length),
});

/**
 * Reads the text of a style sheet, if it was not read recently. Spends the units of {@link findCssResources} then.
 * @throws what the budget throws
 */
export const readStyleSheet = (sheet: string, budget: Budget): StyleSheet => {
  const found = known.get(sheet);
  if (found) return found;
  const read: StyleSheet = {
    external: findCssResources(sheet, 'stylesheet', budget).external,
    needsStabilising: styleSheetNeedsStabilising(sheet),
    waysToLoseContent: cssWaysToLoseContent([sheet]),
    pageRule: readPageRule(sheet),
    ignored: findIgnoredFeatures(sheet),
  };
  known.set(sheet, read);
  return read;
};
