import type { FastifyInstance } from 'fastify';
import type { Limits } from '#libs/limits/port.ts';
import { requirePermission } from './authenticate.ts';
import { callerOf } from './caller.ts';
import { bodyOf } from './query.ts';
import { parseRenderRequest } from './render-request.ts';
import { askOf, type SourceParts } from './render-source.ts';
import { abandonment, sendRender } from './send-render.ts';
import { submitRender, type SubmitParts } from './submit-render.ts';
import { countRender, requireQuota } from './throttle.ts';

export type RenderRouteParts = SubmitParts & SourceParts & { limits: Limits };

export const registerRenderRoutes = (app: FastifyInstance, parts: RenderRouteParts): void => {
  app.post('/api/v1/render', async (request, reply) => {
    const caller = callerOf(request);
    const wanted = parseRenderRequest(bodyOf(request));
    requirePermission(caller, 'render:create');
    const now = parts.log.now();
    await requireQuota(parts.limits, caller, now);
    const ask = await askOf(parts, caller, wanted);
    await countRender(parts.limits, caller, reply, now);
    return sendRender(reply, await submitRender(parts, caller, { ...ask, trial: false, requestId: request.id }, abandonment(reply)));
  });
};
