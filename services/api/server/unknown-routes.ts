import type { FastifyInstance, FastifyReply } from 'fastify';
import { truncateForMessage, type ApiErrorFields } from '#contracts/http/api-error.ts';
import { sendError } from './errors.ts';

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');

/** The regular expression of a route pattern such as `/jobs/:job_id` or `/static/*`. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${escaped(url).replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);

/** The path of a request, also if the request line has an absolute URL. */
const pathOf = (target: string): string => {
  const path = target.split(/[?#]/)[0]!.replace(/^https?:\/\/[^/]*/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const notFound = (method: string, path: string, meant: string | undefined): ApiErrorFields => ({
  name: 'not_found',
  message:
    `There is no ${method} ${truncateForMessage(path)}` +
    `${meant === undefined ? '.' : `; did you mean ${method} ${truncateForMessage(meant)}?`} ` +
    '/docs and /openapi.json list all routes.',
  extra: {},
});

/** Paths that were probably meant: without slashes at the end, and with the prefix of the API. */
export const similarPaths = (path: string): string[] => {
  const trimmed = path.replace(/\/{1,8}$/, '');
  return [trimmed, `/api/v1${trimmed.replace(/^\/(?:api(?:\/|$))?(?:v1(?:\/|$))?/, '/')}`].filter(
    (one) => one !== path,
  );
};

const notAllowed = (method: string, path: string, allowed: string[]): ApiErrorFields => ({
  name: 'method_not_allowed',
  message: `${truncateForMessage(path)} does not support ${method}. Allowed: ${allowed.join(', ')}.`,
  extra: { allowed },
});

/**
 * Responds to requests without a route: with 405 if the path has routes for other methods, else with 404. Call it before
 * adding routes. `setHeaders` sets more headers of the response.
 */
export const handleUnknownRoutes = (
  app: FastifyInstance,
  setHeaders: (reply: FastifyReply) => Promise<void> = async () => undefined,
): void => {
  const knownPaths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = knownPaths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    knownPaths.set(url, path);
    for (const name of [method].flat()) path.methods.add(name);
  });
  app.setNotFoundHandler(async (request, reply) => {
    await setHeaders(reply);
    const path = pathOf(request.url);
    const methodsOf = (one: string): Set<string> =>
      new Set(
        [...knownPaths.values()].filter(({ pattern }) => pattern.test(one)).flatMap((known) => [...known.methods]),
      );
    const methods = methodsOf(path);
    // If the path has this method, only its spelling is unknown to the router: that is 404.
    if (methods.size === 0 || methods.has(request.method)) {
      const meant = similarPaths(path).find((one) => methodsOf(one).has(request.method));
      return sendError(reply, notFound(request.method, request.url.split('?')[0]!, meant));
    }
    const allowed = [...methods].toSorted();
    return sendError(reply.header('allow', allowed.join(', ')), notAllowed(request.method, path, allowed));
  });
};
