import type { Token } from 'parse5';

/** What a `<meta http-equiv="refresh">` asks for: the address as written, empty where the document itself is meant. */
export type Refresh = { seconds: number; address: string };

const content =
  /^[\t\n\f\r ]*(?:(?<seconds>\d+)(?!\d)|(?=\.))[\d.]*(?:$|(?=[;,\t\n\f\r ])[\t\n\f\r ]*[;,]?[\t\n\f\r ]*(?<rest>[^]*))$/;
const unnamed = /^(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(?:"(?<double>[^"]*)|'(?<single>[^']*)|(?<plain>[^]*))/i;

/** Reads `content` by the HTML standard ("shared declarative refresh steps"); undefined where that says there is no refresh. */
export const readRefresh = (text: string): Refresh | undefined => {
  const found = content.exec(text)?.groups;
  if (!found) return undefined;
  const { double, single, plain = '' } = unnamed.exec(found['rest'] ?? '')!.groups!;
  return { seconds: Number(found['seconds'] ?? 0), address: double ?? single ?? plain };
};

/** The refresh that an element asks for, if any. */
export const refreshOf = (tagName: string, attributes: readonly Token.Attribute[]): Refresh | undefined => {
  const value = (wanted: string) => attributes.find(({ name }) => name === wanted)?.value;
  return tagName === 'meta' && value('http-equiv')?.toLowerCase() === 'refresh' ? readRefresh(value('content') ?? '') : undefined;
};

const itself = 'about:blank';

/** The first of the refreshes to come, with its full address; those whose address the browser cannot read never come. */
export const firstRefresh = (refreshes: readonly Refresh[], base: string | undefined): Refresh | undefined =>
  refreshes
    .flatMap(({ seconds, address }) => {
      const url = URL.parse(address || itself, URL.canParse(base ?? '') ? base : itself);
      return url && url.protocol !== 'javascript:' ? [{ seconds, address: url.href }] : [];
    })
    .toSorted((a, b) => a.seconds - b.seconds)[0];
