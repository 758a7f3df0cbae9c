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
// Inside a select, the parser drops the tags of all other elements, but newer browsers keep them: the following content
// would be ambiguous.
const knownInSelect = new Set(['option', 'optgroup', 'hr', 'script', 'template']);
// Settings that a page keeps when it loads the next document (a policy, a referrer), or that navigate it away.
const safePragmas = new Set(['content-type', 'content-language', 'x-ua-compatible', 'default-style']);
const persistentMetaNames = new Set(['referrer']);
const javascriptUrl =
  /j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;

const truncateForMessage = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Why an element may run a script or change the page for the next document; undefined if it cannot. */
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
      return `javascript: URL in ${truncateForMessage(name)} attribute`;
    if (tag === 'meta' && name === 'http-equiv' && !safePragmas.has(value.trim().toLowerCase()))
      return `meta http-equiv="${truncateForMessage(value)}"`;
    if (tag === 'meta' && name === 'name' && persistentMetaNames.has(value.trim().toLowerCase()))
      return `meta name="${truncateForMessage(value)}"`;
    if (tag === 'template' && name.startsWith('shadowroot')) return `${truncateForMessage(name)} attribute`;
  }
  return undefined;
};

/** All text of a document that its scripts can read, without entities (`&#104;`), which could hide a word. */
export const scriptReadableText = (document: Dom.Document): string => {
  const text: string[] = [];
  const remaining: Dom.Node[] = [document];
  for (let node = remaining.pop(); node; node = remaining.pop()) {
    if ('value' in node) text.push(node.value);
    if ('data' in node) text.push(node.data);
    if ('tagName' in node)
      text.push(`\n<${node.tagName}`, ...node.attrs.map(({ name, value }) => ` ${name}=${value} `), '>');
    if ('content' in node) remaining.push(node.content);
    if ('childNodes' in node)
      for (let index = node.childNodes.length - 1; index >= 0; index -= 1) remaining.push(node.childNodes[index]!);
  }
  return text.join('');
};

/**
 * Scripts that fetch contain a URL with a scheme or two slashes, unless it is assembled or encoded, or is part of
 * embedded data. Documents have no URL of their own, so relative URLs lead nowhere.
 */
const fetchPattern = new RegExp(
  [
    String.raw`\/\/|\\\/|http|wss?:|&#|&\w+;|\\[ux\d]|eval|(?-i:\bFunction\b)|atob|fromC|decode|escape|import|worker`,
    String.raw`frame|srcdoc|<base|<object|<embed|data:(?:,|text|application\/(?!(?:x-)?font)|image\/svg|;)`,
  ].join('|'),
  'i',
);

/** Whether scripts may fetch. The others can run without network. */
export const mayFetch = (text: string): boolean => fetchPattern.test(text);

/** Features that need screen frames, and features that load further scripts or hide their names. */
const framesPattern = new RegExp(
  [
    'requestAnimationFrame|requestIdle|requestVideo|Observer|animat|transition|decode|scroll|resize|matchMedia|video|iframe',
    String.raw`\bsrc\b|import|worker|eval|(?-i:\bFunction\b)|atob|fromC|unescape|\\[ux]|&#|&\w+;`,
  ].join('|'),
  'i',
);

/**
 * Whether scripts may wait for screen frames. Without frames, the callbacks of `requestAnimationFrame`, observers and
 * transitions are never called.
 */
export const mayNeedFrames = (text: string): boolean => framesPattern.test(text);
