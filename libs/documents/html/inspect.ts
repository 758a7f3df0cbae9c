import { type DefaultTreeAdapterTypes, html as ns, type Token } from 'parse5';
import { type Reach, reachOf } from './addresses.ts';
import { reachOfCss } from './css.ts';
import { type Cut, isCut, locateCut } from './cut.ts';
import { firstRefresh, type Refresh, refreshOf } from './refresh.ts';
import { reasonToRun } from './running.ts';
import { mayReachOut } from './script-reach.ts';
import { parseWatching } from './watch.ts';

type Element = DefaultTreeAdapterTypes.Element;
type Picture = { address: string; line: number; element: Element };

/** What a standards parser saw in a document. */
export type Inspection = {
  /** Why the document could run something, e.g. `script element on line 12`; undefined where nothing can. */
  runs: string | undefined;
  external: boolean;
  /** What `<base href>` says, if anything. */
  base: string | undefined;
  /** Addresses, as written, of pictures that are not in the document itself. */
  pictures: { address: string; line: number }[];
  /** The first refresh that the document asks for by itself, with its full address. */
  refresh: Refresh | undefined;
  /** Set where the input ends too early. */
  cut: Cut | undefined;
};

/** Parses a document once and says what it could run and fetch. Lines count from 1. */
export const inspectHtml = (html: string): Inspection => {
  const seen: Sighting = { runs: undefined, external: false, base: undefined, pictures: [], refreshes: [], sheets: [], templates: false, cut: false };
  parseWatching(html, {
    positions: false,
    onElement: (element, attributes, parser) => look(seen, element, attributes, () => parser.tokenizer.preprocessor.line),
    onError: (code) => (seen.cut ||= isCut(code)),
  });
  return concluded(seen, html);
};

type Sighting = { runs: string | undefined; external: boolean; base: string | undefined; pictures: Picture[]; refreshes: (Refresh & { element: Element })[]; sheets: Element[]; templates: boolean; cut: boolean };

const look = (seen: Sighting, element: Element, attributes: readonly Token.Attribute[], line: () => number): void => {
  const { tagName } = element;
  const reason = seen.runs === undefined ? reasonToRun(tagName, attributes) : undefined;
  if (reason !== undefined) seen.runs = `${reason} on line ${line()}`;
  if (tagName === 'style') seen.sheets.push(element);
  if (tagName === 'template') seen.templates = true;
  if (attributes.length === 0) return;
  if (tagName === 'base') seen.base ??= attributes.find(({ name }) => name === 'href')?.value;
  const refresh = refreshOf(tagName, attributes);
  if (refresh && element.namespaceURI === ns.NS.HTML) seen.refreshes.push({ ...refresh, element });
  const reach = reachOf(tagName, attributes);
  if (reach) notePictures(seen, element, reach, line());
};

const notePictures = (seen: Sighting, element: Element, reach: Reach, line: number): void => {
  seen.external = true;
  for (const address of reach.images) seen.pictures.push({ address, line, element });
};

const concluded = (seen: Sighting, html: string): Inspection => {
  const sheets = seen.sheets.map((element) => reachOfCss(textOf(element), 'stylesheet'));
  const external = seen.external || sheets.some((sheet) => sheet.external) || (seen.runs !== undefined && mayReachOut(html)) || seen.base !== undefined;
  const shown = <Seen extends { element: Element }>(all: Seen[]): Seen[] => (seen.templates ? all.filter(({ element }) => isShown(element)) : all);
  const refresh = firstRefresh(shown(seen.refreshes), seen.base);
  return { runs: seen.runs, external, base: seen.base, pictures: shown(seen.pictures), refresh, cut: seen.cut ? locateCut(html) : undefined };
};

const textOf = (element: Element): string => element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');

/** False inside a `<template>`, whose content never loads. */
const isShown = (element: Element): boolean => {
  let node: DefaultTreeAdapterTypes.ParentNode | null = element;
  while (node && 'parentNode' in node) node = node.parentNode;
  return node?.nodeName === '#document';
};
