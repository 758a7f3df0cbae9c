import { z } from 'zod';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { renderDone } from '#contracts/http/render.ts';
import { createdTemplate, template, templateList, templateVerdict, templateVersionContent, templateVersions, updatedTemplate } from '#contracts/http/template-answers.ts';
import { createTemplate, listTemplatesQuery, restoreTemplate, testTemplate, updateTemplate, validateTemplate } from '#contracts/http/templates.ts';
import { historyEvent } from '#contracts/http/jobs.ts';
import { bodyErrors, callErrors, idempotencyErrors, idempotencyKey, named, printErrors, replayHeader, type Route } from '../server/route.ts';

const params = z.object({ id: z.string().describe('tpl_<id>') });
const versionParams = params.extend({ version: z.number().int().describe('The number of a version that is still kept.') });
const ifMatch = z.object({ 'If-Match': z.string().optional().describe('The version that the change is meant for, such as 3. If the template has moved on, nothing changes: 412.') });
const etag = { ETag: 'The version, in quotes.' };

const invoice = {
  name: 'Invoice',
  content: '<h1>Invoice {{number}}</h1>{{#each items}}<p>{{this.name}}: {{formatCurrency this.price "EUR"}}</p>{{/each}}',
  category: 'invoice',
  variables: [{ name: 'number', type: 'string', required: true }, { name: 'items', type: 'array', required: true }],
  default_options: { page_size: 'A4', margin_top: 25, locale: 'de-AT' },
};
const data = { number: '2026-118', items: [{ name: 'Paper', price: 4.2 }] };

const templateHistory = named('TemplateHistory', z.object({ template_id: z.string(), events: z.array(historyEvent) }));

const syntax = `
**Syntax.** Handlebars: \`{{var}}\`, \`{{#if}}\`, \`{{#unless}}\`, \`{{#each}}\`, \`{{#with}}\`, \`{{lookup}}\`, and the helpers
\`formatDate value "DD/MM/YYYY"\`, \`formatCurrency value "EUR"\`, \`uppercase\`, \`lowercase\`, \`truncate text 20\` and \`json\`. Amounts and month names follow \`default_options.locale\` (\`en\`
unless set). Unknown helpers, partials and decorators are \`invalid_template_syntax\`; only properties that the data itself has can be reached.`;

export const templateRoutes: Route[] = [
  {
    method: 'POST',
    path: '/api/v1/templates',
    tag: 'Templates',
    summary: 'Store a template',
    description: `Stores HTML with placeholders as version 1 of a template.

**Name.** Unique within the account. Spaces around it are cut off and it is compared in Unicode normal form C, upper and lower case being different. Deleting a template frees its name.
${syntax}`,
    permission: 'templates:write',
    request: { headers: idempotencyKey, body: named('CreateTemplate', createTemplate), examples: { invoice: { summary: 'An invoice', value: invoice } } },
    responses: [{ status: 201, description: 'The template, without its content.', schema: named('CreatedTemplate', createdTemplate), headers: { ...etag, Location: 'Where the template is read.', ...replayHeader } }],
    errors: bodyErrors('template_name_required', 'template_content_required', 'invalid_template_syntax', 'template_limit_exceeded', 'template_name_exists', 'template_too_large', ...idempotencyErrors),
  },
  {
    method: 'GET',
    path: '/api/v1/templates',
    tag: 'Templates',
    summary: 'List templates',
    description: 'The templates of the account, newest first, without their contents. What was written before is in the list.',
    permission: 'templates:read',
    request: { query: listTemplatesQuery },
    responses: [{ status: 200, description: 'One page of templates.', schema: named('TemplateList', templateList) }],
    errors: callErrors('invalid_request'),
  },
  {
    method: 'POST',
    path: '/api/v1/templates/validate',
    tag: 'Templates',
    summary: 'Check a template without storing it',
    description: 'Finds syntax errors, and placeholders that the declared variables do not cover.',
    permission: 'templates:read',
    request: { body: named('ValidateTemplate', validateTemplate), examples: { unclosed: { summary: 'A block that is never closed', value: { content: '{{#if paid}}Thank you', variables: [] } } } },
    responses: [{ status: 200, description: 'The findings; a template with findings is an answer, not an error.', schema: named('TemplateVerdict', templateVerdict) }],
    errors: bodyErrors('template_too_large'),
  },
  {
    method: 'GET',
    path: '/api/v1/templates/{id}',
    tag: 'Templates',
    summary: 'Read a template',
    description: 'The current version with its content, and how often it was used. Test renders do not count as use.',
    permission: 'templates:read',
    request: { params },
    responses: [{ status: 200, description: 'The template.', schema: named('Template', template), headers: etag }],
    errors: callErrors('template_not_found'),
  },
  {
    method: 'PUT',
    path: '/api/v1/templates/{id}',
    tag: 'Templates',
    summary: 'Change a template',
    description: 'Makes a new version in which the fields of the body replace those of the version before; the others stay. Every accepted call is a new version, even where nothing differs. `changes` says what is new; without it the names of those that differ are noted.',
    permission: 'templates:write',
    request: { params, headers: ifMatch, body: named('UpdateTemplate', updateTemplate), examples: { content: { summary: 'New content', value: { content: '<h1>Invoice no. {{number}}</h1>', changes: 'Shorter heading' } } } },
    responses: [{ status: 200, description: 'The new version.', schema: named('UpdatedTemplate', updatedTemplate), headers: etag }],
    errors: bodyErrors('invalid_template_syntax', 'template_not_found', 'template_name_exists', 'version_conflict', 'template_too_large'),
  },
  {
    method: 'DELETE',
    path: '/api/v1/templates/{id}',
    tag: 'Templates',
    summary: 'Delete a template',
    description: 'Removes the template for good; its name is free again. Renders made from it keep their record.',
    permission: 'templates:delete',
    request: { params, headers: ifMatch },
    responses: [{ status: 204, description: 'It is gone.', schema: null }],
    errors: callErrors('invalid_request', 'template_not_found', 'version_conflict'),
  },
  {
    method: 'GET',
    path: '/api/v1/templates/{id}/versions',
    tag: 'Templates',
    summary: 'List the versions of a template',
    description: 'The versions that are kept, newest first: the last 10, or all of them on the plan enterprise.',
    permission: 'templates:read',
    request: { params },
    responses: [{ status: 200, description: 'The versions.', schema: named('TemplateVersions', templateVersions) }],
    errors: callErrors('template_not_found'),
  },
  {
    method: 'GET',
    path: '/api/v1/templates/{id}/versions/{version}',
    tag: 'Templates',
    summary: 'Read one version',
    description: 'A version as it was, with its content.',
    permission: 'templates:read',
    request: { params: versionParams },
    responses: [{ status: 200, description: 'The version.', schema: named('TemplateVersion', templateVersionContent) }],
    errors: callErrors('template_not_found'),
  },
  {
    method: 'POST',
    path: '/api/v1/templates/{id}/restore',
    tag: 'Templates',
    summary: 'Bring an earlier version back',
    description: 'Makes a new version with the content and settings of an earlier one; the name stays.',
    permission: 'templates:write',
    request: { params, headers: ifMatch, body: named('RestoreTemplate', restoreTemplate), examples: { first: { summary: 'The first version', value: { version: 1 } } } },
    responses: [{ status: 200, description: 'The new version.', schema: updatedTemplate, headers: etag }],
    errors: bodyErrors('template_not_found', 'version_conflict'),
  },
  {
    method: 'POST',
    path: '/api/v1/templates/{id}/test',
    tag: 'Templates',
    summary: 'Try a template out',
    description: 'Renders the template with the given data. The key needs the permission `render:create`, too. A trial counts toward the requests per minute, but neither toward the quota nor as use of the template. Live keys have as many trials in a month as the plan has renders (`quota_exceeded` beyond that; test keys have any number), and an account may have two trials under way at once (`rate_limit_exceeded`). With `diagnostics=true` answers and errors have `diagnostics`: timings, lane, console, failed resources, fonts. The document is made a second time for them.',
    permission: 'templates:read',
    request: { params, query: diagnosticsQuery, body: named('TestTemplate', testTemplate), examples: { invoice: { summary: 'Data of an invoice', value: { data } } } },
    responses: [{ status: 200, description: 'The PDF, and the version that it was made from.', schema: named('TestRender', renderDone.extend({ version: z.number().int() })) }],
    errors: bodyErrors('invalid_page_size', 'invalid_orientation', 'quota_exceeded', 'template_not_found', 'render_template_not_found', 'template_render_error', 'invalid_html', ...printErrors),
  },
  {
    method: 'GET',
    path: '/api/v1/templates/{id}/events',
    tag: 'Templates',
    summary: "Read a template's history",
    description: 'Everything that ever happened to the template: what, when, and by whom.',
    permission: 'templates:read',
    request: { params },
    responses: [{ status: 200, description: 'The events, oldest first.', schema: templateHistory }],
    errors: callErrors('template_not_found'),
  },
];
