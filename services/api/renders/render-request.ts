import { z } from 'zod';
import { ApiError } from '#contracts/http/api-error.ts';
import {
  type ConvertRequest,
  convertRequest,
  requestModes,
  type TemplateRequest,
  templateRequest,
} from '#contracts/http/render.ts';
import type { RequestedResponseMode } from '#application/renders/submit-render.ts';
import { validate } from '../server/validate.ts';

type Body = Record<string, unknown>;

const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

const parseConvert = (body: Body): ConvertRequest => {
  if (isAbsent(body.data))
    throw ApiError.of('missing_data', 'data is missing: it holds the content to convert.', { field: 'data' });
  const request = validate(convertRequest, body);
  if (typeof request.data !== 'string' && request.input_type !== 'json') {
    throw ApiError.of(
      'invalid_request',
      `data must be a string if input_type is ${request.input_type}; only json accepts an object or array.`,
      { field: 'data' },
    );
  }
  return request;
};

const parseTemplate = (body: Body): TemplateRequest => {
  if (isAbsent(body.template_id))
    throw ApiError.of('missing_template_id', 'template_id is missing: it names the template to render.', {
      field: 'template_id',
    });
  return validate(templateRequest, body);
};

const modeSchema = z.object({ mode: z.enum(requestModes) });

type RenderRequest = ConvertRequest | TemplateRequest;

const requireWebhookUrl = ({
  webhook_url: url,
  webhook_method: method,
  webhook_headers: headers,
}: RenderRequest): void => {
  const unexpectedField = method !== undefined ? 'webhook_method' : headers !== undefined ? 'webhook_headers' : null;
  if (url !== undefined || unexpectedField === null) return;
  const message = `${unexpectedField} is allowed only with webhook_url.`;
  throw ApiError.of('invalid_request', message, { field: unexpectedField });
};

/** Validates a render request by its mode and fills in the defaults. @throws ApiError */
export const parseRenderRequest = (body: Body): RenderRequest => {
  const request = validate(modeSchema, body).mode === 'RENDER' ? parseTemplate(body) : parseConvert(body);
  requireWebhookUrl(request);
  return request;
};

/** `neverWaits`: the route accepts only asynchronous renders, whatever the body says. */
export const responseModeOf = (request: RenderRequest, neverWaits: boolean): RequestedResponseMode => {
  const { webhook_url: url, webhook_method: method = 'POST', webhook_headers: headers = {} } = request;
  if (url !== undefined) return { kind: 'webhook', url, method, headers };
  return neverWaits ? { kind: 'poll' } : { kind: 'wait' };
};
