import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';

const retryAfterSeconds = 5;
const maxCloseMs = 90_000;

/**
 * Lets the app close without waiting for callers: what has been asked completely is answered, and then every connection is hung up on, be it
 * unused, in the middle of a request, or slow to read. Returns the check for new requests on connections that are still open; it throws service_unavailable.
 */
export const enableGracefulClose = (app: FastifyInstance): (() => void) => {
  const answering = new Set<ServerResponse>();
  let closing = false;
  const hangUpWhenAnswered = (): void => {
    if (closing && answering.size === 0) app.server.closeAllConnections();
  };
  const answer = async (_: FastifyRequest, { raw }: FastifyReply): Promise<void> => {
    if (raw.closed || answering.has(raw)) return;
    answering.add(raw);
    raw.once('close', () => {
      answering.delete(raw);
      setImmediate(hangUpWhenAnswered);
    });
  };
  app.addHook('preValidation', answer);
  app.addHook('onSend', answer);
  app.addHook('preClose', async () => {
    closing = true;
    setImmediate(hangUpWhenAnswered);
    setTimeout(() => app.server.closeAllConnections(), maxCloseMs).unref();
  });
  return () => {
    if (closing)
      throw ApiError.of('service_unavailable', 'The service is stopping. Ask again in a moment.', {
        retry_after: retryAfterSeconds,
      });
  };
};
