import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TestTemplate, testTemplate } from '#contracts/http/templates.ts';
import { readModels } from '#contracts/names.ts';
import { newId } from '#libs/ids/new-id.ts';
import { requireTemplate } from '#application/templates/commands.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import { type Estimates, requireShortWait } from '../renders/estimate.ts';
import { traceparentOf } from '../server/observe.ts';
import { bodyOf, pathOf } from '../server/query.ts';
import { writtenIn } from '../server/body/raw-body.ts';
import { askOf } from '../renders/render-source.ts';
import { afterwardsOf } from '../renders/diagnosed.ts';
import { abandonment, sendRender } from '../renders/send-render.ts';
import { submitRender } from '../renders/submit-render.ts';
import { validated } from '../server/validate.ts';
import { planOf, type TemplateParts } from './parts.ts';
import { openTrialTurns, requireTrialsLeft } from './trial-limits.ts';

type TrialParts = TemplateParts & { estimates: Estimates };

const tryOut = async (parts: TrialParts, request: FastifyRequest, reply: FastifyReply, trial: TestTemplate): Promise<FastifyReply> => {
  const caller = callerOf(request);
  const accountId = caller.account.id;
  const id = pathOf(request).id!;
  await requireTemplate(parts.log, accountId, id);
  const at = parts.log.now();
  await requireTrialsLeft(parts, request, caller, at);
  const ask = await askOf(parts, caller, { mode: 'RENDER', template_id: id, ...trial }, writtenIn(request));
  await requireShortWait(parts.estimates, { accountId, source: ask.source, reply: 'wait' }, planOf(caller).processingMs);
  const renderId = newId();
  const afterwards = afterwardsOf(parts, request, reply, renderId);
  const version = ask.source.mode === 'RENDER' ? ask.source.templateVersion : undefined;
  const wish = { ...ask, id: renderId, at, trial: true, reply: { kind: 'wait' }, requestId: request.id, traceparent: traceparentOf(request) } as const;
  const submission = await submitRender(parts, caller, wish, abandonment(reply));
  parts.freshness.wrote(accountId, submission.position, readModels.usage);
  return sendRender(reply, submission, { version }, afterwards);
};

/** POST /templates/{id}/test: a render that counts neither toward the quota nor as a use of the template, and is limited in its own way. */
export const registerTemplateTestRoute = (app: FastifyInstance, parts: TrialParts): void => {
  const turns = openTrialTurns();
  app.post('/api/v1/templates/:id/test', async (request, reply) => {
    const caller = callerOf(request);
    const trial = validated(testTemplate, bodyOf(request));
    requirePermission(caller, 'templates:read');
    requirePermission(caller, 'render:create');
    return turns.run(caller.account.id, parts.log.now(), () => tryOut(parts, request, reply, trial));
  });
};
