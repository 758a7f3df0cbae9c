import { masked, shownUrl } from '#libs/domain/webhook-url.ts';
import type { ClearTarget } from './target.ts';

/** Shorter ones are no credentials, and would mask half of any text. */
const shortest = 4;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const secretsOf = ({ url, headers }: ClearTarget): string[] => {
  const { href, pathname, search } = new URL(url);
  const ofHeaders = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const ofQuery = search.slice(1).split('&').map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
  const ofUrl = shownUrl(url).isMasked ? [url, href, pathname + search, ...pathname.split('/').filter((part) => shownUrl(`https://host/${part}`).isMasked)] : [];
  return [...ofHeaders, ...ofQuery, ...ofUrl].flatMap((secret) => [secret, decoded(secret), inJson(secret)]);
};

/** The text without a secret at its end of which it has the beginning only: answers are cut. */
const withoutCutSecret = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length - 1, text.length); length >= shortest; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + masked;
  }
  return text;
};

/** A receiver's answer without the headers and the address that it was called with: some send back what they got. */
export const withoutSecretsOf = (target: ClearTarget, answer: string): string => {
  const secrets = [...new Set(secretsOf(target))].filter((secret) => secret.length >= shortest).toSorted((a, b) => b.length - a.length);
  const whole = secrets.reduce((text, secret) => text.replaceAll(secret, masked), answer);
  return secrets.reduce(withoutCutSecret, whole);
};
