import type { FastifyInstance } from 'fastify';
import { testTemplate } from '#contracts/http/templates.ts';
import { newId } from '#libs/ids/new-id.ts';
import { requireTemplate } from '#libs/templates/commands.ts';
import { requirePermission } from '../authenticate.ts';
import { callerOf } from '../caller.ts';
import { traceparentOf } from '../observe.ts';
import { bodyOf, pathOf } from '../query.ts';
import { writtenIn } from '../raw-body.ts';
import { askOf } from '../render-source.ts';
import { afterwardsOf } from '../diagnosed.ts';
import { abandonment, sendRender } from '../send-render.ts';
import { submitRender } from '../submit-render.ts';
import { validated } from '../validate.ts';
import type { TemplateParts } from './parts.ts';

/** POST /templates/{id}/test: a render that counts neither toward the quota nor as a use of the template. */
export const registerTemplateTestRoute = (app: FastifyInstance, parts: TemplateParts): void => {
  app.post('/api/v1/templates/:id/test', async (request, reply) => {
    const caller = callerOf(request);
    const trial = validated(testTemplate, bodyOf(request));
    requirePermission(caller, 'templates:read');
    const id = pathOf(request).id!;
    await requireTemplate(parts.log, caller.account.id, id);
    const ask = await askOf(parts, caller, { mode: 'RENDER', template_id: id, ...trial }, writtenIn(request));
    const renderId = newId();
    const afterwards = afterwardsOf(parts, request, reply, renderId);
    const version = ask.source.mode === 'RENDER' ? ask.source.templateVersion : undefined;
    return sendRender(reply, await submitRender(parts, caller, { ...ask, id: renderId, at: parts.log.now(), trial: true, reply: { kind: 'wait' }, requestId: request.id, traceparent: traceparentOf(request) }, abandonment(reply)), { version }, afterwards);
  });
};
