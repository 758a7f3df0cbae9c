import type { FastifyInstance } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { listTemplatesQuery, validateTemplateFor } from '#contracts/http/templates.ts';
import { readModels, templateIdOf } from '#contracts/names.ts';
import type { TemplateUsesDocument } from '#libs/projections/template-uses.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import { readTemplate } from '#application/templates/content.ts';
import { requireTemplate } from '#application/templates/commands.ts';
import { findVersion, listVersions } from '#application/templates/queries.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import { eventView } from '../server/event-view.ts';
import { bodyOf, pathOf, queryOf } from '../server/query.ts';
import { validated } from '../server/validate.ts';
import { requireSize } from './check-content.ts';
import { planOf, requireTemplateDocument, type TemplateParts } from './parts.ts';
import { summaryOf, templateOf, versionContentOf, versionEntryOf } from './views.ts';

const { templates, templateVersions, templateUses } = readModels;

/** What can be asked about templates without changing any. */
export const registerTemplateReadRoutes = (app: FastifyInstance, parts: TemplateParts): void => {
  const { log, reads, blobs, preparation, freshness } = parts;

  app.get('/api/v1/templates', async (request) => {
    const { account, key } = callerOf(request);
    const { category, page, limit } = validated(listTemplatesQuery, queryOf(request));
    requirePermission({ account, key }, 'templates:read');
    await freshness.settled(account.id, templates);
    const where = { accountId: account.id, ...(category ? { category } : {}) };
    const sort = { by: 'createdAt', descending: true };
    const [total, documents] = await Promise.all([reads.count(templates, where), reads.find(templates, { where, sort, limit, skip: (page - 1) * limit })]);
    return { templates: (documents as TemplateDocument[]).map(summaryOf), total, page, limit, pages: Math.ceil(total / limit) };
  });

  app.get('/api/v1/templates/:id', async (request, reply) => {
    const caller = callerOf(request);
    requirePermission(caller, 'templates:read');
    await freshness.settled(caller.account.id, templates, templateUses);
    const document = await requireTemplateDocument(parts, caller, pathOf(request).id!);
    const uses = (await reads.get(templateUses, document.id)) as TemplateUsesDocument | null;
    return reply.header('etag', `"${document.version}"`).send(templateOf(document, await readTemplate(blobs, document), uses));
  });

  app.get('/api/v1/templates/:id/versions', async (request) => {
    const caller = callerOf(request);
    requirePermission(caller, 'templates:read');
    await freshness.settled(caller.account.id, templates, templateVersions);
    const document = await requireTemplateDocument(parts, caller, pathOf(request).id!);
    const versions = await listVersions(reads, document, planOf(caller).keptVersions);
    return { template_id: templateIdOf(document.id), versions: versions.map(versionEntryOf) };
  });

  app.get('/api/v1/templates/:id/versions/:version', async (request) => {
    const caller = callerOf(request);
    requirePermission(caller, 'templates:read');
    await freshness.settled(caller.account.id, templates, templateVersions);
    const { id, version } = pathOf(request);
    const document = await requireTemplateDocument(parts, caller, id!);
    const number = /^\d{1,9}$/.test(version!) ? Number(version) : 0;
    const found = await findVersion(reads, document, number, planOf(caller).keptVersions);
    if (!found) throw Problem.of('template_not_found', `Version ${version} of the template never existed or is no longer kept.`);
    return versionContentOf(found, await readTemplate(blobs, found.body));
  });

  app.get('/api/v1/templates/:id/events', async (request) => {
    const caller = callerOf(request);
    requirePermission(caller, 'templates:read');
    const { id, history } = await requireTemplate(log, caller.account.id, pathOf(request).id!);
    return { template_id: templateIdOf(id), events: history.map(eventView) };
  });

  app.post('/api/v1/templates/validate', async (request) => {
    const caller = callerOf(request);
    const plan = planOf(caller);
    const { content, variables } = validated(validateTemplateFor(plan.maxVariables), bodyOf(request));
    requirePermission(caller, 'templates:read');
    requireSize(content, plan);
    const { errors } = await preparation.analyse({ content, variables }, { timeoutMs: plan.processingMs, group: caller.account.id });
    return { valid: errors.length === 0, errors };
  });
};
