import type { DefaultTreeAdapterTypes as Dom, Token } from 'parse5';

const scriptingElements = new Set([
  'script',
  'iframe',
  'frame',
  'frameset',
  'object',
  'embed',
  'applet',
  'noscript',
  'portal',
  'fencedframe',
  'webview',
]);
// Of other elements in a select this parser drops the tags, and newer browsers none: what follows could be read in two ways.
const knownInSelect = new Set(['option', 'optgroup', 'hr', 'script', 'template']);
// What a page cannot shake off when it is refilled (a policy, a referrer) or what moves it elsewhere.
const safePragmas = new Set(['content-type', 'content-language', 'x-ua-compatible', 'default-style']);
const persistentMetaNames = new Set(['referrer']);
const javascriptUrl =
  /j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;

/** The beginning of a name or value, for a reason that people read. */
const truncateForMessage = (words: string): string => (words.length > 40 ? `${words.slice(0, 40)}…` : words);

/** Why an element could run something, or change the page for the document after it; undefined where it cannot. */
export const scriptReason = (
  tag: string,
  attributes: readonly Token.Attribute[],
  inSelect: boolean,
): string | undefined => {
  if (scriptingElements.has(tag)) return `${tag} element`;
  if (inSelect && !knownInSelect.has(tag)) return `${truncateForMessage(tag)} element in a select element`;
  for (const { name, value } of attributes) {
    if (name.length > 2 && name.startsWith('on')) return `${truncateForMessage(name)} attribute`;
    if (value.length > 10 && javascriptUrl.test(value))
      return `javascript: address in ${truncateForMessage(name)} attribute`;
    if (tag === 'meta' && name === 'http-equiv' && !safePragmas.has(value.trim().toLowerCase()))
      return `meta http-equiv="${truncateForMessage(value)}"`;
    if (tag === 'meta' && name === 'name' && persistentMetaNames.has(value.trim().toLowerCase()))
      return `meta name="${truncateForMessage(value)}"`;
    if (tag === 'template' && name.startsWith('shadowroot')) return `${truncateForMessage(name)} attribute`;
  }
  return undefined;
};

/** All that the scripts of a document could read in it, without the references (`&#104;`) that could hide a word. */
export const scriptReadableText = (document: Dom.Document): string => {
  const words: string[] = [];
  const left: Dom.Node[] = [document];
  for (let node = left.pop(); node; node = left.pop()) {
    if ('value' in node) words.push(node.value);
    if ('data' in node) words.push(node.data);
    if ('tagName' in node)
      words.push(`\n<${node.tagName}`, ...node.attrs.map(({ name, value }) => ` ${name}=${value} `), '>');
    if ('content' in node) left.push(node.content);
    if ('childNodes' in node)
      for (let index = node.childNodes.length - 1; index >= 0; index -= 1) left.push(node.childNodes[index]!);
  }
  return words.join('');
};

/**
 * Whatever a script fetches from elsewhere has an address with a scheme or two slashes, unless it is put together in disguise, or packed up as data that
 * has addresses of its own. Documents have no address of their own that others could be relative to.
 */
const fetchPattern =
  /\/\/|\\\/|http|wss?:|&#|&\w+;|\\[ux\d]|eval|(?-i:\bFunction\b)|atob|fromC|decode|escape|import|worker|frame|srcdoc|<base|<object|<embed|data:(?:text|application\/(?!(?:x-)?font)|image\/svg|;)/i;

/** Whether scripts could fetch something. Those that could not run without any network. */
export const mayFetch = (words: string): boolean => fetchPattern.test(words);

/** By name: what stands still without frames; and whatever brings in script from elsewhere, or hides what it says. */
const framesPattern = new RegExp(
  [
    'requestAnimationFrame|requestIdle|requestVideo|Observer|animat|transition|decode|scroll|resize|matchMedia|video|iframe',
    String.raw`\bsrc\b|import|worker|eval|(?-i:\bFunction\b)|atob|fromC|unescape|\\[ux]|&#|&\w+;`,
  ].join('|'),
  'i',
);

/** Whether scripts could wait for screen frames. Without frames the callbacks of `requestAnimationFrame`, observers and transitions never come. */
export const mayNeedFrames = (words: string): boolean => framesPattern.test(words);
