import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import type { TemplateBody } from '#contracts/events/template.ts';
import { invalidField } from '#contracts/http/api-error.ts';
import { type UpdateTemplateResponse, updateTemplateResponse } from '#contracts/http/template-responses.ts';
import {
  restoreTemplateRequest,
  type UpdateTemplateRequest,
  updateTemplateRequest as updateBody,
  updateTemplateRequestFor,
} from '#contracts/http/templates.ts';
import { changedFields, type FullTemplate, readTemplate, storeTemplate } from '#application/templates/content.ts';
import {
  deleteTemplate,
  readVersionEvents,
  requireTemplate,
  updateTemplate,
  type UpdateTemplateOptions,
} from '#application/templates/commands.ts';
import { isVersionKept } from '#application/templates/queries.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, route, type Route, noContent, ok } from '../server/route.ts';
import { etagHeader, templateExamples, ifMatchHeaders, templateParams } from './reference.ts';
import { requireTemplateContent, requireTemplateSize } from '#application/templates/require-content.ts';
import { versionNotFound } from './require-template.ts';
import { changedRequiredFields, readTemplateFields } from './template-fields.ts';
import { updatedTemplateOf } from './views.ts';
import { waitUntilShown } from './wait-until-shown.ts';

/**
 * The version in If-Match, a plain or quoted number; null without the header or with `*`. @throws ApiError
 * invalid_request
 */
const ifMatchOf = ({ headers }: FastifyRequest): number | null => {
  const header = headers['if-match'];
  if (header === undefined || header === '*') return null;
  const version = /^"?(\d{1,9})"?$/.exec(header)?.[1];
  if (!version) throw invalidField('If-Match', 'If-Match must hold a version number, such as 3.');
  return Number(version);
};

const withUpdate = (current: FullTemplate, { changes: _, ...fields }: UpdateTemplateRequest): FullTemplate => {
  const changedValues = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<FullTemplate>;
  return { ...current, ...changedValues };
};

/** Appends the next version if `If-Match` allows it. */
const appendVersion = async (
  dependencies: Dependencies,
  { account, cause, reply }: CallerContext,
  id: string,
  next: UpdateTemplateOptions['next'],
): Promise<UpdateTemplateResponse> => {
  const update = { expectedVersion: ifMatchOf(reply.request), next };
  const { body, version, at, position } = await updateTemplate(dependencies.eventLog, account.id, id, update, cause);
  await waitUntilShown(dependencies, account.id, position, 'known');
  reply.header('etag', `"${version}"`);
  return updatedTemplateOf(id, body, version, at);
};

/**
 * Update, restore and delete: decided on the event log. The response comes from the decision, not from a read model.
 */
export const templateChangeRoutes: Route[] = [
  route({
    method: 'PUT',
    path: '/api/v1/templates/{id}',
    operationId: 'updateTemplate',
    tag: 'Templates',
    summary: 'Change a template',
    description:
      'Makes a new version. The fields of the body replace those of the version before; the other fields stay. Every ' +
      'accepted request makes a version, even without a difference. `changes` describes the change; by default it is ' +
      'the names of the changed fields.',
    permission: 'templates:write',
    request: {
      params: templateParams,
      headers: ifMatchHeaders,
      body: nameSchema('UpdateTemplate', updateBody),
      readBody: (fields, { maxVariables }) =>
        readTemplateFields(updateTemplateRequestFor(maxVariables), fields, changedRequiredFields(fields)),
      examples: templateExamples.update,
    },
    responses: [ok('The new version.', nameSchema('UpdatedTemplate', updateTemplateResponse), { headers: etagHeader })],
    errors: [
      'invalid_page_size',
      'invalid_orientation',
      'template_name_required',
      'template_content_required',
      'invalid_template_syntax',
      'template_not_found',
      'template_name_exists',
      'version_conflict',
      'template_too_large',
    ],
    handle: async (context, dependencies) => {
      const { account, limits, params, body: update } = context;
      const { eventLog, inputs, preparation } = dependencies;
      const { id } = await requireTemplate(eventLog, account.id, params.id);
      if (update.content !== undefined) requireTemplateSize(update.content, limits);
      let checked: unknown;
      const next = async ({ body }: { body: TemplateBody }) => {
        const before = await readTemplate(inputs, body);
        const after = withUpdate(before, update);
        const hasInvoice = update.default_options?.factur_x?.template !== undefined;
        if (update.content !== undefined || update.labels !== undefined || hasInvoice) {
          const { content, labels, default_options } = after;
          const text = { content, labels, default_options };
          // After a conflict with another process the text is mostly the same. A check can take many seconds.
          if (!isDeepStrictEqual(text, checked)) await requireTemplateContent(preparation, text, limits, account.id);
          checked = text;
        }
        const changes = update.changes ?? (changedFields(before, after).join(', ') || 'nothing');
        return { name: after.name, store: () => storeTemplate(inputs, after), changes, restoredFrom: null };
      };
      return appendVersion(dependencies, context, id, next);
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/templates/{id}/restore',
    operationId: 'restoreTemplate',
    tag: 'Templates',
    summary: 'Restore an earlier version',
    description:
      'Makes a new version with the content and settings of an earlier one, its description and category included. ' +
      'The name stays.',
    permission: 'templates:write',
    request: {
      params: templateParams,
      headers: ifMatchHeaders,
      body: nameSchema('RestoreTemplate', restoreTemplateRequest),
      examples: templateExamples.restore,
    },
    responses: [ok('The new version.', updateTemplateResponse, { headers: etagHeader })],
    errors: ['template_not_found', 'version_conflict'],
    handle: async (context, dependencies) => {
      const { account, limits, params, body } = context;
      const { keptVersions } = limits;
      const { version: restoredVersion } = body;
      const { eventLog } = dependencies;
      const { id, version } = await requireTemplate(eventLog, account.id, params.id);
      if (!isVersionKept(restoredVersion, version, keptVersions))
        throw versionNotFound(restoredVersion, version, keptVersions);
      const old = (await readVersionEvents(eventLog, id, restoredVersion, restoredVersion)).get(restoredVersion)!;
      const next = async ({ body: { name } }: { body: TemplateBody }) => ({
        name,
        store: async (): Promise<TemplateBody> => ({ ...old.data.body, name }),
        changes: `restored version ${restoredVersion}`,
        restoredFrom: restoredVersion,
      });
      return appendVersion(dependencies, context, id, next);
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    operationId: 'deleteTemplate',
    tag: 'Templates',
    summary: 'Delete a template',
    description: 'Removes the template for good and frees its name. The records of its renders stay.',
    permission: 'templates:delete',
    request: { params: templateParams, headers: ifMatchHeaders },
    responses: [noContent('The template is deleted.')],
    errors: ['template_not_found', 'version_conflict'],
    handle: async ({ account, params: { id: templateId }, cause, reply }, dependencies) => {
      const { eventLog } = dependencies;
      const { id } = await requireTemplate(eventLog, account.id, templateId);
      const { position } = await deleteTemplate(eventLog, account.id, id, ifMatchOf(reply.request), cause);
      await waitUntilShown(dependencies, account.id, position, 'known');
      return reply.status(204).send();
    },
  }),
];
