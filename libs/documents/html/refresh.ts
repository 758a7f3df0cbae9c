import type { Token } from 'parse5';

/** A `<meta http-equiv="refresh">`: the URL as written, empty for the document itself. */
export type Refresh = { seconds: number; url: string };

const refreshPattern =
  /^[\t\n\f\r ]*(?:(?<seconds>\d+)(?!\d)|(?=\.))[\d.]*(?:$|(?=[;,\t\n\f\r ])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?<rest>[^]*))$/;
const urlPattern = /^(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(?:"(?<double>[^"]*)|'(?<single>[^']*)|(?<plain>[^]*))/i;

/** Parses `content` by the HTML standard ("shared declarative refresh steps"); undefined if it is not a refresh. */
export const parseRefresh = (text: string): Refresh | undefined => {
  const groups = refreshPattern.exec(text)?.groups;
  if (!groups) return undefined;
  const { double, single, plain = '' } = urlPattern.exec(groups['rest'] ?? '')!.groups!;
  return { seconds: Number(groups['seconds'] ?? 0), url: double ?? single ?? plain };
};

/** The refresh of a meta element; undefined for other elements. */
export const refreshOfElement = (tagName: string, attributes: readonly Token.Attribute[]): Refresh | undefined => {
  const value = (attribute: string) => attributes.find(({ name }) => name === attribute)?.value;
  return tagName === 'meta' && value('http-equiv')?.toLowerCase() === 'refresh'
    ? parseRefresh(value('content') ?? '')
    : undefined;
};

const sameDocument = 'about:blank';

/** The refresh that happens first, with its absolute URL. Refreshes with an invalid URL never happen. */
export const firstRefresh = (refreshes: readonly Refresh[], base: string | undefined): Refresh | undefined =>
  refreshes
    .flatMap(({ seconds, url: target }) => {
      const url = URL.parse(target || sameDocument, URL.canParse(base ?? '') ? base : sameDocument);
      return url && url.protocol !== 'javascript:' ? [{ seconds, url: url.href }] : [];
    })
    .toSorted((a, b) => a.seconds - b.seconds)[0];
