import type { Token } from 'parse5';

/** What a `<meta http-equiv="refresh">` asks for: the address as written, empty where the document itself is meant. */
export type Refresh = { seconds: number; url: string };

const refreshPattern =
  /^[\t\n\f\r ]*(?:(?<seconds>\d+)(?!\d)|(?=\.))[\d.]*(?:$|(?=[;,\t\n\f\r ])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?<rest>[^]*))$/;
const urlPattern = /^(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(?:"(?<double>[^"]*)|'(?<single>[^']*)|(?<plain>[^]*))/i;

/** Reads `content` by the HTML standard ("shared declarative refresh steps"); undefined where that says there is no refresh. */
export const parseRefresh = (text: string): Refresh | undefined => {
  const found = refreshPattern.exec(text)?.groups;
  if (!found) return undefined;
  const { double, single, plain = '' } = urlPattern.exec(found['rest'] ?? '')!.groups!;
  return { seconds: Number(found['seconds'] ?? 0), url: double ?? single ?? plain };
};

/** The refresh that an element asks for, if any. */
export const refreshOfElement = (tagName: string, attributes: readonly Token.Attribute[]): Refresh | undefined => {
  const value = (wanted: string) => attributes.find(({ name }) => name === wanted)?.value;
  return tagName === 'meta' && value('http-equiv')?.toLowerCase() === 'refresh'
    ? parseRefresh(value('content') ?? '')
    : undefined;
};

const sameDocument = 'about:blank';

/** The first of the refreshes to come, with its full address; those whose address the browser cannot read never come. */
export const firstRefresh = (refreshes: readonly Refresh[], base: string | undefined): Refresh | undefined =>
  refreshes
    .flatMap(({ seconds, url: address }) => {
      const url = URL.parse(address || sameDocument, URL.canParse(base ?? '') ? base : sameDocument);
      return url && url.protocol !== 'javascript:' ? [{ seconds, url: url.href }] : [];
    })
    .toSorted((a, b) => a.seconds - b.seconds)[0];
