import type { FastifyInstance } from 'fastify';
import { truncateForMessage, type ApiErrorFields } from '#contracts/http/api-error.ts';
import { sendError } from './errors.ts';

type KnownPath = { pattern: RegExp; methods: Set<string> };

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');

/** A pattern such as `/jobs/:job_id` or `/static/*` as a regular expression of paths. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${escaped(url).replaceAll(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);

/** The path that a request names, also where the request line has a whole address. */
const pathOf = (target: string): string => {
  const path = target.split(/[?#]/)[0]!.replace(/^https?:\/\/[^/]*/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const notFound = (method: string, path: string): ApiErrorFields => ({
  name: 'not_found',
  message: `There is nothing at ${method} ${truncateForMessage(path)}.`,
  extra: {},
});

const notAllowed = (method: string, path: string, allowed: string[]): ApiErrorFields => ({
  name: 'method_not_allowed',
  message: `${truncateForMessage(path)} does not take ${method}. It takes ${allowed.join(', ')}.`,
  extra: { allowed },
});

/** Answers requests that lead to no route: with 405 where the path has routes for other methods, else with 404. Call it before routes are added. */
export const handleUnknownRoutes = (app: FastifyInstance): void => {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    known.set(url, path);
    for (const one of [method].flat()) path.methods.add(one);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const methods = new Set(
      [...known.values()].filter(({ pattern }) => pattern.test(path)).flatMap((one) => [...one.methods]),
    );
    // A path with another method would be found here where only its spelling is unknown to the router.
    if (methods.size === 0 || methods.has(request.method))
      return sendError(reply, notFound(request.method, request.url.split('?')[0]!));
    const allowed = [...methods].toSorted();
    return sendError(reply.header('allow', allowed.join(', ')), notAllowed(request.method, path, allowed));
  });
};
