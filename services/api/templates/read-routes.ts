import { z } from 'zod';
import { historyEvent } from '#contracts/http/jobs.ts';
import {
  templateResponse,
  templateListResponse,
  validateTemplateResponse,
  templateVersionResponse,
  templateVersionsResponse,
} from '#contracts/http/template-responses.ts';
import {
  listTemplatesQuery,
  templateHistoryQuery,
  validateTemplateRequest,
  validateTemplateRequestFor,
} from '#contracts/http/templates.ts';
import { readModels, streams, templateIdOf } from '#contracts/names.ts';
import type { TemplateUsesDocument } from '#libs/projections/template-uses.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import { readTemplate } from '#application/templates/content.ts';
import { readVersionEvents, requireTemplate } from '#application/templates/commands.ts';
import { readTemplateStatistics, statisticsModels } from '#application/templates/queries.ts';
import { isVersionKept, listVersions } from '#application/templates/queries.ts';
import { createNamedActorView } from '../server/actor-names.ts';
import { eventView } from '#application/audit/event-view.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { validate } from '../server/validation/validate.ts';
import { etagHeader, templateExamples, templateParams, templateVersionParams } from './reference.ts';
import { requireTemplateSize } from '#application/templates/require-content.ts';
import { requireTemplateDocument, requireVersion } from './require-template.ts';
import { isBlank, missingContent } from './template-fields.ts';
import { templateSummaryOf, templateOf, versionContentOf, versionEntryOf } from './views.ts';

const { templates, templateVersions: versionsModel, templateUsage } = readModels;

const templateHistoryResponse = nameSchema(
  'TemplateHistory',
  z.object({
    template_id: z.string(),
    events: z.array(historyEvent),
    next_cursor: z.string().nullable().describe('Null on the last page.'),
  }),
);

/** The routes that read templates. */
export const templateReadRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/templates',
    operationId: 'listTemplates',
    tag: 'Templates',
    summary: 'List templates',
    description:
      'Lists the templates of the account, newest first, without their contents. The list shows all earlier writes.',
    permission: 'templates:read',
    request: { query: listTemplatesQuery },
    responses: [ok('One page of templates.', nameSchema('TemplateList', templateListResponse))],
    handle: async ({ account, query: { category, page, limit, statistics } }, dependencies) => {
      const { reads, readYourWrites, eventLog } = dependencies;
      await readYourWrites.waitForWrites(account.id, templates, ...(statistics === 'true' ? statisticsModels : []));
      const where = { accountId: account.id, ...(category ? { category } : {}) };
      const sort = { by: 'createdAt', descending: true };
      const [total, documents] = await Promise.all([
        reads.count(templates, where),
        reads.find(templates, { where, sort, limit, skip: (page - 1) * limit }),
      ]);
      const found = documents as TemplateDocument[];
      const statisticsOf =
        statistics === 'true' ? await readTemplateStatistics(reads, account.id, found, eventLog.now()) : null;
      const summaries = found.map((document) => ({
        ...templateSummaryOf(document),
        ...(statisticsOf ? { statistics: statisticsOf(document) } : {}),
      }));
      return { templates: summaries, total, page, limit, pages: Math.ceil(total / limit) };
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/templates/validate',
    operationId: 'validateTemplate',
    tag: 'Templates',
    summary: 'Check a template without storing it',
    description:
      'Finds syntax errors, placeholders without a declared variable, and labels that are not in `labels`: at most 50. ' +
      'A template without content is not valid.',
    permission: 'templates:read',
    request: {
      body: nameSchema('ValidateTemplate', validateTemplateRequest),
      readBody: (fields, { maxVariables }) => validate(validateTemplateRequestFor(maxVariables), fields),
      examples: templateExamples.validate,
    },
    responses: [
      ok(
        'The findings. A template with findings has status 200, too.',
        nameSchema('TemplateValidation', validateTemplateResponse),
      ),
    ],
    errors: ['template_too_large'],
    handle: async ({ account, limits, body }, { preparation }) => {
      if (isBlank(body.content)) return { valid: false, errors: [missingContent] };
      requireTemplateSize(body.content, limits);
      const { errors } = await preparation.analyse(body, { timeoutMs: limits.processingMs, group: account.id });
      return { valid: errors.length === 0, errors };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/templates/{id}',
    operationId: 'getTemplate',
    tag: 'Templates',
    summary: 'Read a template',
    description:
      'Returns the current version with its content, and how often it was used. Template tests do not count.',
    permission: 'templates:read',
    request: { params: templateParams },
    responses: [ok('The template.', nameSchema('Template', templateResponse), { headers: etagHeader })],
    errors: ['template_not_found'],
    handle: async ({ account, params: { id }, reply }, { reads, inputs, readYourWrites }) => {
      await readYourWrites.waitForWrites(account.id, templates, templateUsage);
      const document = await requireTemplateDocument(reads, account.id, id);
      const uses = (await reads.get(templateUsage, document.id)) as TemplateUsesDocument | null;
      reply.header('etag', `"${document.version}"`);
      return templateOf(document, await readTemplate(inputs, document), uses);
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/templates/{id}/versions',
    operationId: 'listTemplateVersions',
    tag: 'Templates',
    summary: 'List the versions of a template',
    description:
      'Lists the versions that are kept and who saved them, newest first: the last 10, or all on the plan enterprise, ' +
      'in pages of at most 1,000.',
    permission: 'templates:read',
    request: { params: templateParams, query: templateHistoryQuery },
    responses: [ok('The versions.', nameSchema('TemplateVersions', templateVersionsResponse))],
    errors: ['template_not_found'],
    handle: async ({ account, limits, params: { id }, query: { limit, cursor } }, dependencies) => {
      const { reads, readYourWrites, eventLog } = dependencies;
      await readYourWrites.waitForWrites(account.id, templates, versionsModel);
      const document = await requireTemplateDocument(reads, account.id, id);
      const newest = Math.min(Number(cursor ?? document.version), document.version);
      const [versions] = await Promise.all([
        listVersions(reads, document, limits.keptVersions, { newest, limit }),
        requireTemplate(eventLog, account.id, id),
      ]);
      const oldest = versions.at(-1)?.version ?? newest;
      const events = await readVersionEvents(eventLog, document.id, oldest, newest);
      const hasMore = isVersionKept(oldest - 1, document.version, limits.keptVersions);
      const actorOf = ({ version }: { version: number }) => events.get(version)!.metadata.actor;
      const viewActor = await createNamedActorView(reads, account.id, versions.map(actorOf));
      return {
        template_id: templateIdOf(document.id),
        versions: versions.map((version) => ({ ...versionEntryOf(version), created_by: viewActor(actorOf(version)) })),
        next_cursor: hasMore ? String(oldest - 1) : null,
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/templates/{id}/versions/{version}',
    operationId: 'getTemplateVersion',
    tag: 'Templates',
    summary: 'Read one version',
    description: 'Returns a version with its content.',
    permission: 'templates:read',
    request: { params: templateVersionParams },
    responses: [ok('The version.', nameSchema('TemplateVersion', templateVersionResponse))],
    errors: ['template_not_found'],
    handle: async ({ account, limits, params: { id, version } }, { reads, inputs, readYourWrites }) => {
      await readYourWrites.waitForWrites(account.id, templates, versionsModel);
      const document = await requireTemplateDocument(reads, account.id, id);
      const found = await requireVersion(reads, document, version, limits.keptVersions);
      return versionContentOf(found, await readTemplate(inputs, found.body));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/templates/{id}/events',
    operationId: 'getTemplateEvents',
    tag: 'Templates',
    summary: "Read a template's history",
    description: 'Lists the events of the template with time and actor, in pages of at most 1,000.',
    permission: 'templates:read',
    request: { params: templateParams, query: templateHistoryQuery },
    responses: [ok('The events, oldest first.', templateHistoryResponse)],
    errors: ['template_not_found'],
    handle: async ({ account, params: { id: templateId }, query: { limit, cursor } }, { eventLog }) => {
      const { id } = await requireTemplate(eventLog, account.id, templateId);
      const first = Number(cursor ?? 0);
      const history = await eventLog.store.read(streams.template(id), first, limit + 1);
      return {
        template_id: templateIdOf(id),
        events: history.slice(0, limit).map(eventView),
        next_cursor: history.length > limit ? String(first + limit) : null,
      };
    },
  }),
];
