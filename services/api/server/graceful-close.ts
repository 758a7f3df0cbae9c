import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';

const retryAfterSeconds = 5;
const maxCloseMs = 90_000;

/**
 * Lets the app close without waiting for callers: it responds to requests that have arrived completely, and then closes
 * every connection, also one that is idle, in the middle of a request, or slow to read. Returns the check for new requests
 * on open connections, which throws service_unavailable while the app closes.
 */
export const enableGracefulClose = (app: FastifyInstance): (() => void) => {
  const openResponses = new Set<ServerResponse>();
  let closing = false;
  const closeWhenDone = (): void => {
    if (closing && openResponses.size === 0) app.server.closeAllConnections();
  };
  const trackResponse = async (_: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    if (raw.closed || openResponses.has(raw)) return;
    openResponses.add(raw);
    raw.once('close', () => {
      openResponses.delete(raw);
      setImmediate(closeWhenDone);
    });
  };
  app.addHook('preValidation', trackResponse);
  app.addHook('onSend', trackResponse);
  app.addHook('preClose', async () => {
    closing = true;
    setImmediate(closeWhenDone);
    setTimeout(() => app.server.closeAllConnections(), maxCloseMs).unref();
  });
  return () => {
    if (closing)
      throw ApiError.of('service_unavailable', 'The service is stopping. Try again in a moment.', {
        retry_after: retryAfterSeconds,
      });
  };
};
