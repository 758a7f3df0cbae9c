import type { Protocol } from 'devtools-protocol';
import type { PageToLoad } from '../print-request.ts';

/** RFC 6265, 5.1.4. */
const matchesPath = (requestPath: string, cookiePath: string): boolean =>
  requestPath === cookiePath ||
  (requestPath.startsWith(cookiePath) && (cookiePath.endsWith('/') || requestPath[cookiePath.length] === '/'));

const cookieNames = (header: string): Set<string> =>
  new Set(header.split(';').map((pair) => pair.trim().split('=', 1)[0]!));

/** The Cookie header with the caller's cookies. A cookie that the server has set since has priority. */
const cookieHeader = (present: string, { cookies }: PageToLoad, pathname: string): string => {
  const known = cookieNames(present);
  const added = cookies
    .filter(({ name, path = '/' }) => !known.has(name) && matchesPath(pathname, path))
    .map(({ name, value }) => `${name}=${value}`);
  return [...(present === '' ? [] : [present]), ...added].join('; ');
};

/** The headers of a request to the origin of the page, with the caller's headers and cookies. */
export const headersForOrigin = (
  page: PageToLoad,
  { url, headers }: Pick<Protocol.Network.Request, 'url' | 'headers'>,
): Protocol.Fetch.HeaderEntry[] => {
  const chosen = new Set(Object.keys(page.headers).map((name) => name.toLowerCase()));
  const present = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const isCookie = ({ name }: Protocol.Fetch.HeaderEntry): boolean => name.toLowerCase() === 'cookie';
  const cookie = cookieHeader(present.find(isCookie)?.value ?? '', page, new URL(url).pathname);
  return [
    ...present.filter((header) => !isCookie(header) && !chosen.has(header.name.toLowerCase())),
    ...Object.entries(page.headers).map(([name, value]) => ({ name, value })),
    ...(cookie === '' ? [] : [{ name: 'Cookie', value: cookie }]),
  ];
};

export const hasSecrets = ({ headers, cookies }: PageToLoad): boolean =>
  Object.keys(headers).length + cookies.length > 0;
