/** Replaces values that only the caller and the receiver may know. */
export const mask = '***';

const word = '[A-Za-z][a-z]{0,15}(?:[A-Z][a-z]{1,15}){0,2}[0-9]{0,2}';
/**
 * Words and small numbers such as `hooks`, `pdf-ready`, `v2`, `callbackUrl`, `12`. Keys, tokens and ids do not match.
 */
const plainWords = new RegExp(`^(?:${word}(?:[-_.]${word}){0,3}|[0-9]{1,3})?$`);

const maskUnlessPlain = (text: string): string => (plainWords.test(text) ? text : mask);

/** The maximum length of a webhook URL. Masking many short parts could exceed it; then only the host is shown. */
const maxMaskedUrlLength = 2048;

const maskQueryParameter = (parameter: string): string => {
  const end = parameter.indexOf('=');
  return end < 0 ? mask : `${maskUnlessPlain(parameter.slice(0, end))}=${mask}`;
};

/**
 * A webhook URL for display: scheme, host, port, plain words of the path, and plain names of query parameters. All
 * other parts may be credentials and are masked. The fragment is removed, since it is never sent. If `isMasked` is
 * false, `url` can be called.
 */
export const maskUrl = (original: string): { url: string; isMasked: boolean } => {
  const { origin, pathname, search, href, hash } = new URL(original);
  const path = pathname.split('/').map(maskUnlessPlain).join('/');
  const query = search === '' ? '' : `?${search.slice(1).split('&').map(maskQueryParameter).join('&')}`;
  // The ASCII form of an internationalised host is longer than what the caller wrote.
  const whole = href.slice(0, href.length - hash.length);
  if (path !== pathname || query !== '' || whole.length > maxMaskedUrlLength) {
    const url = origin + path + query;
    return { url: url.length > maxMaskedUrlLength ? `${origin}/${mask}` : url, isMasked: true };
  }
  // Keep the caller's spelling only if the normalised URL differs by nothing but the final slash.
  return { url: whole === `${original}/` ? original : whole, isMasked: false };
};

/** Host and path of a masked URL, to recognise the receiver. */
export const endpointOf = (maskedUrl: string): string => {
  const { host, pathname } = new URL(maskedUrl);
  return host + pathname;
};
