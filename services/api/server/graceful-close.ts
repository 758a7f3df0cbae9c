import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';

const retryAfterSeconds = 5;

/** How long requests that have arrived can take, and a caller for the rest of a response, in milliseconds. */
type CloseLimits = { maxCloseMs: number; maxSendMs: number };

/** A download of all events would take minutes. */
const defaultLimits: CloseLimits = { maxCloseMs: 90_000, maxSendMs: 10_000 };

/**
 * Lets the app close: it responds to requests that have arrived completely, and then closes every connection, also one
 * that is idle or in the middle of a request. A caller has `maxSendMs` milliseconds to read the rest of a response.
 * Returns the check for new requests on open connections, which throws service_unavailable while the app closes.
 */
export const enableGracefulClose = (app: FastifyInstance, limits: Partial<CloseLimits> = {}): (() => void) => {
  const { maxCloseMs, maxSendMs } = { ...defaultLimits, ...limits };
  const openResponses = new Set<ServerResponse>();
  let closing = false;
  const closeWhenDone = (): void => {
    if (closing && openResponses.size === 0) app.server.closeAllConnections();
  };
  const endedResponses = (): ServerResponse[] =>
    [...openResponses].filter((one) => one.headersSent && one.writableEnded);
  const closeOf = (response: ServerResponse): Promise<void> =>
    new Promise((resolve) => void response.once('close', resolve));
  const limitSending = (response: ServerResponse): void => void setTimeout(() => response.destroy(), maxSendMs).unref();
  const trackResponse = async (_: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    if (raw.closed || openResponses.has(raw)) return;
    openResponses.add(raw);
    raw.once('close', () => {
      openResponses.delete(raw);
      setImmediate(closeWhenDone);
    });
  };
  app.addHook('preValidation', trackResponse);
  app.addHook('onSend', async (request, reply) => {
    await trackResponse(request, reply);
    if (closing) limitSending(reply.raw);
  });
  app.addHook('preClose', async () => {
    closing = true;
    setTimeout(() => app.server.closeAllConnections(), maxCloseMs).unref();
    for (const response of openResponses) if (response.headersSent) limitSending(response);
    // When a server closes, Node cuts responses that are written to their end but not yet sent. Others may end meanwhile.
    for (let sending = endedResponses(); sending.length > 0; sending = endedResponses())
      await Promise.all(sending.map(closeOf));
    setImmediate(closeWhenDone);
  });
  return () => {
    if (closing)
      throw ApiError.of('service_unavailable', 'The service is stopping. Try again in a moment.', {
        retry_after: retryAfterSeconds,
      });
  };
};
