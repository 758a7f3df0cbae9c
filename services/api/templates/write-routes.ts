import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TemplateBody } from '#contracts/events/template.ts';
import { Problem } from '#contracts/http/problem.ts';
import { createdTemplate, type UpdatedTemplate, updatedTemplate } from '#contracts/http/template-answers.ts';
import {
  createTemplate as createBody, createTemplateFor, restoreTemplate, type UpdateTemplate, updateTemplate as updateBody,
  updateTemplateFor,
} from '#contracts/http/templates.ts';
import { readModels, streams, templateIdOf } from '#contracts/names.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { type FullTemplate, readTemplate, storeTemplate } from '#application/templates/content.ts';
import {
  bodyOfVersion, createTemplate, deleteTemplate, requireTemplate, updateTemplate, type Written,
} from '#application/templates/commands.ts';
import { isKept, listTemplateIds } from '#application/templates/queries.ts';
import { limitExceeded, type Room } from '#application/templates/slots.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { type Idempotency, named, route, type Route } from '../server/route.ts';
import { validated } from '../server/validate.ts';
import { createDescription, etag, examples, ifMatch, params } from './reference.ts';
import { requireContent } from './require-template.ts';
import { createdOf, updatedOf } from './views.ts';

type Creation = CallerContext<Awaited<ReturnType<typeof readCreation>>>;

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const readCreation = (fields: Record<string, unknown>, { maxVariables }: PlanLimits) => {
  if (isBlank(fields.name)) throw Problem.of('template_name_required', 'A template needs a name.');
  if (isBlank(fields.content)) throw Problem.of('template_content_required', 'A template needs content.');
  return validated(createTemplateFor(maxVariables), fields);
};

/** The version that If-Match names, as a number, plain or quoted; null without the header or with `*`. @throws Problem invalid_request */
const ifMatchOf = ({ headers }: FastifyRequest): number | null => {
  const header = headers['if-match'];
  if (header === undefined || header === '*') return null;
  const version = /^"?(\d{1,9})"?$/.exec(header)?.[1];
  if (!version) throw Problem.of('invalid_request', 'If-Match must hold a version number, such as 3.', { field: 'If-Match' });
  return Number(version);
};

const shownIn = [readModels.templates, readModels.templateVersions];

/**
 * Waits for the read models, so that other processes show the write as well, also those that know a template for a
 * moment. The write stands whether they come that far in time or not.
 */
const settle = async (
  { freshness }: Dependencies, accountId: string, position: number, was: 'new' | 'known',
): Promise<void> => {
  freshness.wrote(accountId, position, ...shownIn);
  const settled = was === 'new' ? freshness.settled(accountId, ...shownIn) : freshness.settledEverywhere(accountId, ...shownIn);
  await settled.catch(() => undefined);
};

/** The room that the account has for templates; null where its plan has no limit. @throws Problem template_limit_exceeded */
const roomOf = async ({ reads, freshness }: Dependencies, { account, limits }: CallerContext): Promise<Room | null> => {
  const { maxTemplates: limit } = limits;
  if (limit === null) return null;
  const accountId = account.id;
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

const create = async (dependencies: Dependencies, context: Creation): Promise<{ full: FullTemplate; at: string }> => {
  const { id, account, limits, cause } = context;
  const { description = null, ...fields } = context.body;
  const { log, inputs, preparation, creationInTurn } = dependencies;
  await requireContent(preparation, fields.content, limits, account.id);
  const full: FullTemplate = { ...fields, description };
  return creationInTurn(account.id, async () => {
    const room = await roomOf(dependencies, context);
    const wanted = { name: full.name, store: () => storeTemplate(inputs, full), room };
    const { at, position } = await createTemplate(log, account.id, id, wanted, cause);
    await settle(dependencies, account.id, position, 'new');
    return { full, at };
  });
};

const sendCreated = (reply: FastifyReply, id: string, at: string, full: FullTemplate): FastifyReply => {
  reply.status(201).header('location', `/api/v1/templates/${templateIdOf(id)}`).header('etag', '"1"');
  return reply.send(createdOf({ id, version: 1, createdAt: at, updatedAt: at }, full));
};

const idempotency: Idempotency = {
  streamOf: streams.template,
  replay: async ({ id, reply }, { log, inputs }) => {
    const created = (await log.store.read(streams.template(id))).find((event) => event.type === 'TemplateCreated');
    if (!created) return null;
    return sendCreated(reply, id, created.metadata.occurredAt, await readTemplate(inputs, created.data.body));
  },
};

const updatedAnswer = async (
  dependencies: Dependencies, context: CallerContext, id: string, written: Written,
): Promise<UpdatedTemplate> => {
  const { body, version, at, position } = written;
  await settle(dependencies, context.account.id, position, 'known');
  context.reply.header('etag', `"${version}"`);
  return updatedOf(id, body, version, at);
};

/** Create, update, restore and delete: decided on what the log has, and answered from what was decided. */
export const templateWriteRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/templates',
    tag: 'Templates',
    summary: 'Store a template',
    description: createDescription,
    permission: 'templates:write',
    idempotency,
    request: { body: named('CreateTemplate', createBody), readBody: readCreation, examples: examples.create },
    responses: [
      {
        status: 201,
        description: 'The template, without its content.',
        schema: named('CreatedTemplate', createdTemplate),
        headers: { ...etag, Location: 'Where the template is read.' },
      },
    ],
    errors: [
      'template_name_required', 'template_content_required', 'invalid_template_syntax', 'template_limit_exceeded',
      'template_name_exists', 'template_too_large',
    ],
    handle: async (context, dependencies) => {
      const { full, at } = await create(dependencies, context);
      return sendCreated(context.reply, context.id, at, full);
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/templates/{id}',
    tag: 'Templates',
    summary: 'Change a template',
    description: 'Makes a new version in which the fields of the body replace those of the version before; the others stay. Every accepted call is a new version, even where nothing differs. `changes` says what is new; without it the names of those that differ are noted.',
    permission: 'templates:write',
    request: {
      params,
      headers: ifMatch,
      body: named('UpdateTemplate', updateBody),
      readBody: (fields, { maxVariables }) => validated(updateTemplateFor(maxVariables), fields),
      examples: examples.update,
    },
    responses: [{ status: 200, description: 'The new version.', schema: named('UpdatedTemplate', updatedTemplate), headers: etag }],
    errors: [
      'invalid_template_syntax', 'template_not_found', 'template_name_exists', 'version_conflict', 'template_too_large',
    ],
    handle: async (context, dependencies) => {
      const { account, limits, params: { id: prefixed }, body: update, cause, reply } = context;
      const { log, inputs, preparation } = dependencies;
      const { id } = await requireTemplate(log, account.id, prefixed);
      if (update.content !== undefined) await requireContent(preparation, update.content, limits, account.id);
      const next = async ({ body }: { body: TemplateBody }) => {
        const before = await readTemplate(inputs, body);
        const after = nextOf(before, update);
        const changes = update.changes ?? changedFields(before, after);
        return { name: after.name, store: () => storeTemplate(inputs, after), changes, restoredFrom: null };
      };
      const written = await updateTemplate(log, account.id, id, { ifVersion: ifMatchOf(reply.request), next }, cause);
      return updatedAnswer(dependencies, context, id, written);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/templates/{id}/restore',
    tag: 'Templates',
    summary: 'Bring an earlier version back',
    description: 'Makes a new version with the content and settings of an earlier one; the name stays.',
    permission: 'templates:write',
    request: { params, headers: ifMatch, body: named('RestoreTemplate', restoreTemplate), examples: examples.restore },
    responses: [{ status: 200, description: 'The new version.', schema: updatedTemplate, headers: etag }],
    errors: ['template_not_found', 'version_conflict'],
    handle: async (context, dependencies) => {
      const { account, limits, params: { id: prefixed }, body: { version: wanted }, cause, reply } = context;
      const { log } = dependencies;
      const { id, version, history } = await requireTemplate(log, account.id, prefixed);
      const old = isKept(wanted, version, limits.keptVersions) ? bodyOfVersion(history, wanted) : undefined;
      if (!old) throw Problem.of('template_not_found', `Version ${wanted} of the template never existed or is no longer kept.`);
      const { content, settings } = old;
      const next = async ({ body }: { body: TemplateBody }) => {
        const store = async (): Promise<TemplateBody> => ({ ...body, content, settings });
        return { name: body.name, store, changes: `restored version ${wanted}`, restoredFrom: wanted };
      };
      const written = await updateTemplate(log, account.id, id, { ifVersion: ifMatchOf(reply.request), next }, cause);
      return updatedAnswer(dependencies, context, id, written);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    tag: 'Templates',
    summary: 'Delete a template',
    description: 'Removes the template for good; its name is free again. Renders made from it keep their record.',
    permission: 'templates:delete',
    request: { params, headers: ifMatch },
    responses: [{ status: 204, description: 'It is gone.', schema: null }],
    errors: ['template_not_found', 'version_conflict'],
    handle: async ({ account, params: { id: prefixed }, cause, reply }, dependencies) => {
      const { log } = dependencies;
      const { id } = await requireTemplate(log, account.id, prefixed);
      const { position } = await deleteTemplate(log, account.id, id, ifMatchOf(reply.request), cause);
      await settle(dependencies, account.id, position, 'known');
      return reply.status(204).send();
    },
  }),
];
