import { mask, maskUrl } from '#libs/domain/webhook-url.ts';
import type { PlaintextTarget } from './target.ts';

/** Shorter ones are no credentials, and would mask half of any text. */
const minSecretLength = 4;

const decodeOrKeep = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const escapeForJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const secretsOf = ({ url, headers }: PlaintextTarget): string[] => {
  const { href, pathname, search } = new URL(url);
  const ofHeaders = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
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
    escapeForJson(secret),
  ]);
};

/**
 * With how many characters of the beginning of `secret` the text ends, fewer than all. Caller and receiver choose both texts, so the time grows with their length alone
 * (the algorithm of Knuth, Morris and Pratt: `borders` says of each beginning how long a shorter one it ends with).
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

/** The text without a secret at its end of which it has the beginning only: answers are cut. */
const maskTruncatedSecret = (text: string, secret: string): string => {
  const length = prefixLengthAtEnd(text, secret);
  return length < minSecretLength ? text : text.slice(0, -length) + mask;
};

/** A receiver's answer without the headers and the address that it was called with: some send back what they got. */
export const maskSecrets = (target: PlaintextTarget, answer: string): string => {
  const secrets = [...new Set(secretsOf(target))]
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length);
  const whole = secrets.reduce((text, secret) => text.replaceAll(secret, mask), answer);
  return secrets.reduce(maskTruncatedSecret, whole);
};
