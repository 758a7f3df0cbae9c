const value = (allowed: string) => String.raw`\s*=\s*(?:"(?:${allowed})"|'(?:${allowed})'|(?:${allowed})(?=[\s/>]))`;
const anyText = String.raw`\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=` + '`]+(?=[\\s/>]))';

const harmlessNames = 'viewport|author|description|generator|keywords|robots|date|application-name|format-detection';
const harmlessEquivalents = 'content-type|x-ua-compatible';
const attribute = String.raw`\s+(?:name${value(harmlessNames)}|http-equiv${value(harmlessEquivalents)}|(?:charset|content|property|id|itemprop)${anyText})`;

const anyMeta = /<meta(?![a-z0-9-])/gi;
const harmlessMeta = new RegExp(String.raw`<meta(?:${attribute})*\s*/?>`, 'gi');

const titledSheet = /<(?:style|link)\b(?:"[^"]*"|'[^']*'|[^>"'])*\btitle/i;

/** A longer document is not searched: that would hold up everything else for longer than a page of its own costs. */
const readOnTheWay = 256 * 1024;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/**
 * Whether a document may say something to its page that outlasts the document there (a policy, a language, a color scheme, a preferred style sheet), or leads it
 * elsewhere (a refresh); in doubt it may. Such a document has to have a page of its own.
 */
export const mayMarkPage = (html: string): boolean => html.length > readOnTheWay || count(html, anyMeta) !== count(html, harmlessMeta) || titledSheet.test(html);
