import { mask, maskUrl } from '#libs/domain/webhook-url.ts';
import type { PlaintextTarget } from './target.ts';

/** Shorter values are not credentials, and masking them would hide too much. */
const minSecretLength = 4;

const decodeOrKeep = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const secretsOf = ({ url, headers }: PlaintextTarget): string[] => {
  const { href, pathname, search } = new URL(url);
  const ofHeaders = Object.values(headers).flatMap((value) => [
    value,
    ...value.split(/,?\s+/),
    ...value.split(/[\s,]+/),
  ]);
  const ofQuery = search
    .slice(1)
    .split('&')
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
  const ofUrl = maskUrl(url).isMasked
    ? [url, href, pathname + search, ...pathname.split('/').filter((part) => maskUrl(`https://host/${part}`).isMasked)]
    : [];
  return [...ofHeaders, ...ofQuery, ...ofUrl].flatMap((secret) => [
    secret,
    decodeOrKeep(secret),
    JSON.stringify(secret).slice(1, -1),
  ]);
};

/**
 * The length of the longest proper prefix of `secret` at the end of `text`. Linear time, since callers and receivers
 * choose both texts (Knuth-Morris-Pratt; `borders` has the longest border of each prefix).
 */
const prefixLengthAtEnd = (text: string, secret: string): number => {
  const borders = [0];
  const extended = (length: number, character: string): number => {
    while (length > 0 && secret[length] !== character) length = borders[length - 1]!;
    return secret[length] === character ? length + 1 : 0;
  };
  for (let index = 1; index < secret.length; index += 1) borders.push(extended(borders[index - 1]!, secret[index]!));
  let length = 0;
  for (let index = Math.max(0, text.length - secret.length + 1); index < text.length; index += 1)
    length = extended(length, text[index]!);
  return length;
};

/** Masks a secret that is truncated at the end of the text. */
const maskTruncatedSecret = (text: string, secret: string): string => {
  // Most texts have not even its beginning. This check is much faster than the one below.
  if (!text.includes(secret.slice(0, minSecretLength), text.length - secret.length + 1)) return text;
  const length = prefixLengthAtEnd(text, secret);
  return length < minSecretLength ? text : text.slice(0, -length) + mask;
};

/**
 * A function that masks the target's headers and URL in texts: some receivers echo the request. A target can have thousands of
 * secrets.
 */
export const createSecretMask = (target: PlaintextTarget): ((text: string) => string) => {
  const secrets = [...new Set(secretsOf(target))]
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const whole = secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
    return secrets.reduce(maskTruncatedSecret, whole);
  };
};
