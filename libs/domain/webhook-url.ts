/** Stands in place of what only the caller and the receiver may know. */
export const mask = '***';

const word = '[A-Za-z][a-z]{0,15}(?:[A-Z][a-z]{1,15}){0,2}[0-9]{0,2}';
/** Words as people write them into addresses, and small numbers: `hooks`, `pdf-ready`, `v2`, `callbackUrl`, `12`. Keys, tokens and ids do not look like that. */
const plainWords = new RegExp(`^(?:${word}(?:[-_.]${word}){0,3}|[0-9]{1,3})?$`);

const maskUnlessPlain = (text: string): string => (plainWords.test(text) ? text : mask);

/** As long as an address may be: of very many short parts, each of which is masked, no more than the host is shown. */
const maxMaskedUrlLength = 2048;

const maskQueryParameter = (parameter: string): string => {
  const end = parameter.indexOf('=');
  return end < 0 ? mask : `${maskUnlessPlain(parameter.slice(0, end))}=${mask}`;
};

/**
 * The address of a callback as anybody may see it: scheme, host and port, those parts of the path that are plain words, and the names of the query's parameters.
 * Everything else may be a credential and is masked. The fragment, which is never sent, falls away. `isMasked` is false where nothing is hidden: `text` is then an address that may be called.
 */
export const maskUrl = (url: string): { text: string; isMasked: boolean } => {
  const { origin, pathname, search, href, hash } = new URL(url);
  const path = pathname.split('/').map(maskUnlessPlain).join('/');
  const query = search === '' ? '' : `?${search.slice(1).split('&').map(maskQueryParameter).join('&')}`;
  // Of a host in other letters the spelling that is called is longer than what the caller wrote.
  const whole = href.slice(0, href.length - hash.length);
  if (path !== pathname || query !== '' || whole.length > maxMaskedUrlLength) {
    const text = origin + path + query;
    return { text: text.length > maxMaskedUrlLength ? `${origin}/${mask}` : text, isMasked: true };
  }
  // As the caller wrote it, where no other spelling, which may hide something, was resolved.
  return { text: whole === `${url}/` ? url : whole, isMasked: false };
};
