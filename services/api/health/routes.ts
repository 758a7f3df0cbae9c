import type { FastifyInstance } from 'fastify';

/** What is missing before the service can take a render; empty when nothing is. */
export type Health = { missing: string[] };

/** GET /health/live and /health/ready, for whoever runs the service. */
export const registerHealthRoutes = (app: FastifyInstance, health: () => Health): void => {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_, reply) => {
    const { missing } = health();
    if (missing.length === 0) return { status: 'ready' };
    return reply.status(503).send({ status: 'not ready', missing });
  });
};
