import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { createTemplateFor, restoreTemplate, type UpdateTemplate, updateTemplateFor } from '#contracts/http/templates.ts';
import { readModels, streams } from '#contracts/names.ts';
import { type FullTemplate, readTemplate, storeTemplate } from '#application/templates/content.ts';
import { bodyOfVersion, createTemplate, deleteTemplate, oneAtATime, requireTemplate, updateTemplate, type Written } from '#application/templates/commands.ts';
import { isKept, listTemplateIds } from '#application/templates/queries.ts';
import { limitExceeded, type Room } from '#application/templates/slots.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import type { Caller } from '../server/callers.ts';
import { causeOf } from '../server/cause.ts';
import { once } from '../server/idempotency.ts';
import { bodyOf, ifMatchOf, pathOf } from '../server/query.ts';
import { validated } from '../server/validate.ts';
import { requireSize, requireSyntax } from './check-content.ts';
import { planOf, type TemplateParts } from './parts.ts';
import { replayCreation, sendCreated } from './created.ts';
import { updatedOf } from './views.ts';

const requireNamed = (body: Record<string, unknown>): void => {
  const blank = (value: unknown): boolean => value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
  if (blank(body.name)) throw Problem.of('template_name_required', 'A template needs a name.');
  if (blank(body.content)) throw Problem.of('template_content_required', 'A template needs content.');
};

const shownIn = [readModels.templates, readModels.templateVersions];

/** Waits for the read models, so that other processes show the write as well; a template that they may know by heart takes a moment longer. It stands whether they come that far in time or not. */
const settle = async ({ freshness }: TemplateParts, accountId: string, position: number, was: 'new' | 'known'): Promise<void> => {
  freshness.wrote(accountId, position, ...shownIn);
  const settled = was === 'new' ? freshness.settled(accountId, ...shownIn) : freshness.settledEverywhere(accountId, ...shownIn);
  await settled.catch(() => undefined);
};

/** The room that the account has for templates; null where its plan has no limit. @throws Problem template_limit_exceeded */
const roomOf = async ({ reads, freshness }: TemplateParts, caller: Caller): Promise<Room | null> => {
  const { maxTemplates: limit } = planOf(caller);
  if (limit === null) return null;
  const accountId = caller.account.id;
  await freshness.settled(accountId, readModels.templates);
  if ((await reads.count(readModels.templates, { accountId })) >= limit) throw limitExceeded(limit);
  return { limit, shown: () => listTemplateIds(reads, accountId, limit) };
};

const changedFields = (before: FullTemplate, after: FullTemplate): string =>
  (Object.keys(after) as (keyof FullTemplate)[]).filter((field) => !isDeepStrictEqual(before[field], after[field])).join(', ') || 'nothing';

const nextOf = (current: FullTemplate, { changes: _, ...fields }: UpdateTemplate): FullTemplate => {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<FullTemplate>;
  return { ...current, ...given };
};

/** Create, update, restore and delete: decided on what the log has, and answered from what was decided. */
export const registerTemplateWriteRoutes = (app: FastifyInstance, parts: TemplateParts): void => {
  const { log, blobs, preparation } = parts;
  // Spares conflicts between requests of one process.
  const creationInTurn = oneAtATime();

  const sendUpdate = async (reply: FastifyReply, { account }: Caller, id: string, { body, version, at, position }: Written): Promise<FastifyReply> => {
    await settle(parts, account.id, position, 'known');
    return reply.header('etag', `"${version}"`).send(updatedOf(id, body, version, at));
  };

  const create = async (request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> => {
    const caller = callerOf(request);
    const body = bodyOf(request);
    requireNamed(body);
    const plan = planOf(caller);
    const { description = null, ...fields } = validated(createTemplateFor(plan.maxVariables), body);
    requirePermission(caller, 'templates:write');
    requireSize(fields.content, plan);
    await requireSyntax(preparation, fields.content, { timeoutMs: plan.processingMs, group: caller.account.id });
    const full: FullTemplate = { ...fields, description };
    const { at } = await creationInTurn(caller.account.id, async () => {
      const room = await roomOf(parts, caller);
      const created = await createTemplate(log, caller.account.id, id, { name: full.name, store: () => storeTemplate(blobs, full), room }, causeOf(request));
      await settle(parts, caller.account.id, created.position, 'new');
      return created;
    });
    return sendCreated(reply, id, at, full);
  };

  app.post('/api/v1/templates', (request, reply) =>
    once(log, request, reply, {
      operation: 'POST /api/v1/templates',
      permission: 'templates:write',
      streamOf: streams.template,
      run: (id) => create(request, reply, id),
      replay: (id) => replayCreation(parts, reply, id),
    }),
  );

  app.put('/api/v1/templates/:id', async (request, reply) => {
    const caller = callerOf(request);
    const plan = planOf(caller);
    const update = validated(updateTemplateFor(plan.maxVariables), bodyOf(request));
    requirePermission(caller, 'templates:write');
    const { id } = await requireTemplate(log, caller.account.id, pathOf(request).id!);
    if (update.content !== undefined) {
      requireSize(update.content, plan);
      await requireSyntax(preparation, update.content, { timeoutMs: plan.processingMs, group: caller.account.id });
    }
    const written = await updateTemplate(
      log, caller.account.id, id,
      {
        ifVersion: ifMatchOf(request),
        next: async ({ body }) => {
          const before = await readTemplate(blobs, body);
          const after = nextOf(before, update);
          return { name: after.name, store: () => storeTemplate(blobs, after), changes: update.changes ?? changedFields(before, after), restoredFrom: null };
        },
      },
      causeOf(request),
    );
    return sendUpdate(reply, caller, id, written);
  });

  app.post('/api/v1/templates/:id/restore', async (request, reply) => {
    const caller = callerOf(request);
    const { version: wanted } = validated(restoreTemplate, bodyOf(request));
    requirePermission(caller, 'templates:write');
    const { id, version, history } = await requireTemplate(log, caller.account.id, pathOf(request).id!);
    const old = isKept(wanted, version, planOf(caller).keptVersions) ? bodyOfVersion(history, wanted) : undefined;
    if (!old) throw Problem.of('template_not_found', `Version ${wanted} of the template never existed or is no longer kept.`);
    const { content, settings } = old;
    const written = await updateTemplate(
      log, caller.account.id, id,
      {
        ifVersion: ifMatchOf(request),
        next: async ({ body }) => ({ name: body.name, store: async () => ({ ...body, content, settings }), changes: `restored version ${wanted}`, restoredFrom: wanted }),
      },
      causeOf(request),
    );
    return sendUpdate(reply, caller, id, written);
  });

  app.delete('/api/v1/templates/:id', async (request, reply) => {
    const caller = callerOf(request);
    requirePermission(caller, 'templates:delete');
    const { id } = await requireTemplate(log, caller.account.id, pathOf(request).id!);
    const { position } = await deleteTemplate(log, caller.account.id, id, ifMatchOf(request), causeOf(request));
    await settle(parts, caller.account.id, position, 'known');
    return reply.status(204).send();
  });
};
