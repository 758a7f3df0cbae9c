import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { Problem } from '#contracts/http/problem.ts';
import { callerOf } from '../server/caller.ts';
import { causeOf } from '../server/cause.ts';
import { diagnosticsOf, type DiagnosticsParts } from '../jobs/diagnostics.ts';
import { queryOf } from '../server/query.ts';
import { abandonment, type Afterwards } from './send-render.ts';
import { validated } from '../server/validate.ts';


/** `diagnostics` for the answer to a render, where the query asks for it; nothing else. @throws Problem invalid_request */
export const afterwardsOf = (parts: DiagnosticsParts, request: FastifyRequest, reply: FastifyReply, renderId: string): Afterwards | undefined => {
  if (validated(diagnosticsQuery, queryOf(request)).diagnostics !== 'true') return undefined;
  return async () => {
    const diagnostics = await diagnosticsOf(parts, renderId, causeOf(request), abandonment(reply)).catch((error: unknown) => request.log.error({ err: error }, 'a render could not be diagnosed'));
    return diagnostics ? { diagnostics } : {};
  };
};

/** The same for renders with test keys alone. @throws Problem invalid_request */
export const afterwardsOfTest = (parts: DiagnosticsParts, request: FastifyRequest, reply: FastifyReply, renderId: string): Afterwards | undefined => {
  const afterwards = afterwardsOf(parts, request, reply, renderId);
  if (afterwards && callerOf(request).key.keyType !== 'test')
    throw Problem.of('invalid_request', 'diagnostics go with test keys here. Ask for those of a live render at GET /api/v1/jobs/job_<id>?diagnostics=true, with the id of the render.', { field: 'diagnostics' });
  return afterwards;
};
