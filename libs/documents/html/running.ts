import type { Token } from 'parse5';

const runningElements = new Set(['script', 'iframe', 'frame', 'frameset', 'object', 'embed', 'applet', 'noscript', 'portal', 'fencedframe', 'webview']);
// What a page cannot shake off when it is refilled (a policy, a referrer) or what moves it elsewhere.
const harmlessPragmas = new Set(['content-type', 'content-language', 'x-ua-compatible', 'default-style']);
const lastingNames = new Set(['referrer']);
const scriptAddress = /j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;

/** The beginning of a name or value, for a reason that people read. */
const shown = (words: string): string => (words.length > 40 ? `${words.slice(0, 40)}…` : words);

/** Why an element could run something, or change the page for the document after it; undefined where it cannot. */
export const reasonToRun = (tag: string, attributes: readonly Token.Attribute[]): string | undefined => {
  if (runningElements.has(tag)) return `${tag} element`;
  for (const { name, value } of attributes) {
    if (name.length > 2 && name.startsWith('on')) return `${shown(name)} attribute`;
    if (value.length > 10 && scriptAddress.test(value)) return `javascript: address in ${shown(name)} attribute`;
    if (tag === 'meta' && name === 'http-equiv' && !harmlessPragmas.has(value.trim().toLowerCase())) return `meta http-equiv="${shown(value)}"`;
    if (tag === 'meta' && name === 'name' && lastingNames.has(value.trim().toLowerCase())) return `meta name="${shown(value)}"`;
    if (tag === 'template' && name.startsWith('shadowroot')) return `${shown(name)} attribute`;
  }
  return undefined;
};
