import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Browsers and proxies send one request of a connection at a time. */
const maxUnanswered = 16;

/**
 * Closes connections with more unanswered requests than that. Node reads hundreds of requests at once, and all of them
 * would be handled before the next one of another connection.
 */
export const limitPipelining = (app: FastifyInstance): void => {
  const unanswered = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const change = (by: 1 | -1): number => {
      const requests = (unanswered.get(socket) ?? 0) + by;
      unanswered.set(socket, requests);
      return requests;
    };
    if (change(1) > maxUnanswered) {
      request.log.debug({ max_unanswered: maxUnanswered }, 'connection closed: too many requests without an answer');
      reply.hijack();
      return void socket.destroy();
    }
    reply.raw.once('close', () => change(-1));
    done();
  });
};
