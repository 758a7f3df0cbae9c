import type { FastifyReply } from 'fastify';
import { createTemplateResponse } from '#contracts/http/template-responses.ts';
import { createTemplateRequest as createBody, createTemplateRequestFor } from '#contracts/http/templates.ts';
import { readModels, streams, templateIdOf } from '#contracts/names.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import { type FullTemplate, readTemplate, storeTemplate } from '#application/templates/content.ts';
import { createTemplate } from '#application/templates/commands.ts';
import { templateCapacity } from '#application/templates/slots.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { type IdempotencyOptions, nameSchema, route, type Route, created } from '../server/route.ts';
import { createTemplateDescription, etagHeader, templateExamples } from './reference.ts';
import { requireTemplateContent } from '#application/templates/require-content.ts';
import { readTemplateFields } from './template-fields.ts';
import { createdTemplateOf } from './views.ts';
import { waitUntilShown } from './wait-until-shown.ts';

type CreationContext = CallerContext<Awaited<ReturnType<typeof parseCreation>>>;

const parseCreation = (fields: Record<string, unknown>, { maxVariables }: PlanLimits) =>
  readTemplateFields(createTemplateRequestFor(maxVariables), fields, ['name', 'content']);

const create = async (
  dependencies: Dependencies,
  context: CreationContext,
): Promise<{ full: FullTemplate; at: string }> => {
  const { id, account, limits, cause } = context;
  const { description = null, ...fields } = context.body;
  const { eventLog, inputs, preparation, reads, readYourWrites, templateCreationQueue } = dependencies;
  await requireTemplateContent(preparation, fields, limits, account.id);
  const full: FullTemplate = { ...fields, description };
  return templateCreationQueue(account.id, async () => {
    if (limits.maxTemplates !== null) await readYourWrites.waitForWrites(account.id, readModels.templates);
    const capacity = await templateCapacity(reads, account.id, limits.maxTemplates);
    const request = { name: full.name, store: () => storeTemplate(inputs, full), capacity };
    const { at, position } = await createTemplate(eventLog, account.id, id, request, cause);
    await waitUntilShown(dependencies, account.id, position, 'new');
    return { full, at };
  });
};

const sendCreated = (reply: FastifyReply, id: string, at: string, full: FullTemplate): FastifyReply => {
  reply
    .status(201)
    .header('location', `/api/v1/templates/${templateIdOf(id)}`)
    .header('etag', '"1"');
  return reply.send(createdTemplateOf({ id, version: 1, createdAt: at, updatedAt: at }, full));
};

const idempotency: IdempotencyOptions = {
  streamOf: streams.template,
  replay: async ({ id, reply }, { eventLog, inputs }) => {
    const [created] = await eventLog.store.read(streams.template(id), 0, 1);
    if (created?.type !== 'TemplateCreated') return null;
    return sendCreated(reply, id, created.metadata.occurredAt, await readTemplate(inputs, created.data.body));
  },
};

/** The route that creates a template. The response comes from the decision, not from a read model. */
export const createTemplateRoute: Route = route({
  method: 'POST',
  path: '/api/v1/templates',
  operationId: 'createTemplate',
  tag: 'Templates',
  summary: 'Store a template',
  description: createTemplateDescription,
  permission: 'templates:write',
  idempotency,
  request: {
    body: nameSchema('CreateTemplate', createBody),
    readBody: parseCreation,
    examples: templateExamples.create,
  },
  responses: [
    created('The template, without its content.', nameSchema('CreatedTemplate', createTemplateResponse), {
      ...etagHeader,
      Location: 'The path of the template.',
    }),
  ],
  errors: [
    'invalid_page_size',
    'invalid_orientation',
    'template_name_required',
    'template_content_required',
    'invalid_template_syntax',
    'template_limit_exceeded',
    'template_name_exists',
    'template_too_large',
  ],
  handle: async (context, dependencies) => {
    const { full, at } = await create(dependencies, context);
    return sendCreated(context.reply, context.id, at, full);
  },
});
