import type { DefaultTreeAdapterTypes, Token } from 'parse5';
import { type Budget, unlimited } from '../budget.ts';
import { reachOf } from './addresses.ts';
import { reachOfCss } from './css.ts';
import { type Cut, isCut, locateCut } from './cut.ts';
import { marksPage, mustSettle, sheetMustSettle } from './marks.ts';
import { firstRefresh, type Refresh, refreshOf } from './refresh.ts';
import { mayNeedFrames, mayReachOut, reasonToRun, readableWords } from './scripts.ts';
import { parseWatching, type Place } from './watch.ts';

/** What a document asks of the browser that prints it. Each answer is the careful one where there is a doubt. */
export type Classification = {
  /** Whether it could run anything. */
  scripts: boolean;
  /** Why, or why not: `script element on line 12`. Short, for diagnostics. */
  reason: string;
  /** Whether anything could make the browser fetch from the network. */
  external: boolean;
  /** Whether its scripts could wait for screen frames. */
  frames: boolean;
  /** Whether something of it could stay in its page for the document after it: a policy, a color scheme, the colors of links, a preferred style sheet. */
  marksPage: boolean;
  /** Whether it could hold what has to be stabilised before the print: animations, fonts, style sheets, a sheet of its own size. */
  needsStabilising: boolean;
  /** The first refresh that it asks for by itself, with its full address. */
  refresh: Refresh | undefined;
};

/** The class of a document in which there is nothing but text. */
export const nothingThatRuns: Classification = {
  scripts: false, reason: 'nothing that runs', external: false, frames: false, marksPage: false, needsStabilising: false, refresh: undefined,
};

/** What was found beside, for those who take documents in. */
export type Finds = {
  /** What `<base href>` says, if anything. */
  base: string | undefined;
  /** Addresses, as written, of pictures that are not in the document itself. Lines count from 1. */
  pictures: { address: string; line: number }[];
  /** Set where the input ends too early. */
  cut: Cut | undefined;
};

type Element = DefaultTreeAdapterTypes.Element;
type Sighting = Omit<Classification, 'refresh'> & Omit<Finds, 'cut'> & {
  refreshes: Refresh[];
  sheets: Element[];
  cut: boolean;
  budget: Budget;
};

/**
 * Parses a document once by the HTML standard, and says what it asks of a browser. It spends one unit of the budget for
 * each element, and what {@link reachOfCss} spends. @throws what the budget throws
 */
export const classify = (html: string, budget: Budget = unlimited): { classification: Classification; finds: Finds } => {
  const seen: Sighting = {
    ...nothingThatRuns, base: undefined, pictures: [], refreshes: [], sheets: [], cut: false, budget,
  };
  const document = parseWatching(html, false, {
    onTag: (tag, place, parser) => {
      look(seen, tag, place, () => parser.tokenizer.preprocessor.line);
      const { current } = parser.openElements;
      if (tag.tagName === 'style' && current && 'tagName' in current && current.tagName === 'style') seen.sheets.push(current);
    },
    onElement: () => budget.spend(1),
    onError: (code) => (seen.cut ||= isCut(code)),
  });
  // Where the document is cut, it is read once more.
  if (seen.cut) budget.spend(html.length);
  for (const sheet of seen.sheets.map(textOf)) {
    seen.external ||= reachOfCss(sheet, 'stylesheet', budget).external;
    seen.needsStabilising ||= sheetMustSettle(sheet);
  }
  if (seen.scripts) {
    const words = readableWords(document);
    seen.external ||= mayReachOut(words);
    seen.frames = mayNeedFrames(words);
  }
  const { scripts, reason, external, frames, marksPage: marks, needsStabilising, base, pictures } = seen;
  return {
    classification: {
      scripts, reason, frames, marksPage: marks, needsStabilising,
      external: external || base !== undefined,
      refresh: firstRefresh(seen.refreshes, base),
    },
    finds: { base, pictures, cut: seen.cut ? locateCut(html) : undefined },
  };
};

const look = (seen: Sighting, { tagName, attrs }: Token.TagToken, { inTemplate, inSelect }: Place, line: () => number): void => {
  const reason = seen.scripts ? undefined : reasonToRun(tagName, attrs, inSelect);
  if (reason !== undefined) {
    seen.scripts = true;
    seen.reason = `${reason} on line ${line()}`;
  }
  seen.needsStabilising ||= mustSettle(tagName);
  if (attrs.length === 0) return;
  seen.marksPage ||= marksPage(tagName, attrs);
  if (tagName === 'base') seen.base ??= attrs.find(({ name }) => name === 'href')?.value;
  const refresh = inTemplate ? undefined : refreshOf(tagName, attrs);
  if (refresh) seen.refreshes.push(refresh);
  const reach = reachOf(tagName, attrs, seen.budget);
  if (!reach) return;
  seen.external = true;
  if (!inTemplate) for (const address of reach.images) seen.pictures.push({ address, line: line() });
};

const textOf = ({ childNodes }: Element): string => childNodes.map((node) => ('value' in node ? node.value : '')).join('');
