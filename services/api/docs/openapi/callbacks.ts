import {
  callbackHeaders,
  doneCallback,
  type DoneCallback,
  failedCallback,
  type FailedCallback,
} from '#contracts/http/callback.ts';
import { nameSchema } from '../../server/route.ts';
import { definitionOf, type Json, parametersIn, referenceTo } from './json-schema.ts';

const done = nameSchema('DoneCallback', doneCallback);
const failed = nameSchema('FailedCallback', failedCallback);

const ids = {
  id: 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF',
  job_id: 'job_01JR04W1PD2M5S8V3Q6X9Z7TKF',
  created_at: '2026-03-02T09:15:04.211Z',
};

/** The body of each callback, by its status. */
export const callbackExamples: { DONE: DoneCallback; FAILED: FailedCallback } = {
  DONE: {
    ...ids,
    status: 'DONE',
    pdf_url: 'https://pdf.example/api/v1/download/render_01JR04W1PD2M5S8V3Q6X9Z7TKF?token=...',
    pdf_expires_at: '2026-03-02T10:15:04.252Z',
    pages: 1,
    file_size_kb: 14.27,
    duration_ms: 41,
    completed_at: '2026-03-02T09:15:04.252Z',
  },
  FAILED: {
    ...ids,
    status: 'FAILED',
    error: 'template_render_error',
    message: 'The data has no value for "customer.name", which line 3 of the template needs.',
    details: { missing_variable: 'customer.name', line: 3 },
    line: 3,
    failed_at: '2026-03-02T09:15:04.223Z',
  },
};

const description = `
A signed \`POST\` or \`PUT\` (\`webhook_method\`), with the \`webhook_headers\` of the request. Verify \`X-Service-Signature-All\`, or
\`webhook-signature\`, over the raw bytes of the body before parsing them: one of its signatures must match. \`GET
/webhook-secret\` shows the secret of the account, \`whsec_...\`. A callback can arrive twice: use \`job_id\` to recognise it.
`.trim();

const operation = (): Json => ({
  operationId: 'renderEnded',
  tags: ['Jobs'],
  summary: 'Callback: a render has ended',
  description,
  security: [],
  parameters: parametersIn('header', callbackHeaders),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          oneOf: [done, failed].map((schema) => referenceTo(schema, 'output')),
          discriminator: {
            propertyName: 'status',
            mapping: { DONE: '#/components/schemas/DoneCallback', FAILED: '#/components/schemas/FailedCallback' },
          },
        },
        examples: {
          done: { summary: 'The PDF is ready', value: callbackExamples.DONE },
          failed: { summary: 'The render has failed', value: callbackExamples.FAILED },
        },
      },
    },
  },
  responses: {
    '2XX': { description: 'Delivered. Respond within 10 seconds; the body does not matter.' },
    '5XX': {
      description:
        'Not delivered; also a timeout or a failed connection. Two more attempts follow, after 5 and then 30 seconds.',
    },
    default: { description: 'Not delivered, and no further attempt. Redirects are not followed.' },
  },
});

/** `components.callbacks`: the callback of a render with a webhook_url. */
export const callbackComponents = (): Json => ({
  renderEnded: { '{$request.body#/webhook_url}': { post: operation() } },
});

/** `callbacks` of an operation whose request may have a webhook_url. */
export const callbackReferences = { renderEnded: { $ref: '#/components/callbacks/renderEnded' } };

/** The schemas that the callback refers to. */
export const callbackSchemas = (): Json => ({
  DoneCallback: definitionOf(done, 'output'),
  FailedCallback: definitionOf(failed, 'output'),
});
