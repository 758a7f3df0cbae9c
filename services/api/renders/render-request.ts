import { z } from 'zod';
import { Problem } from '#contracts/http/problem.ts';
import { type ConvertRequest, convertRequest, modes, type TemplateRequest, templateRequest } from '#contracts/http/render.ts';
import type { Wish } from '#application/renders/submit-render.ts';
import { validated } from '../server/validate.ts';

type Body = Record<string, unknown>;

const absent = (value: unknown): boolean => value === undefined || value === null || value === '';

const parseConvert = (body: Body): ConvertRequest => {
  if (absent(body.data)) throw Problem.of('missing_data', 'data is missing: it holds the content to convert.', { field: 'data' });
  const request = validated(convertRequest, body);
  if (typeof request.data !== 'string' && request.input_type !== 'json') {
    throw Problem.of('invalid_request', `data must be a string where input_type is ${request.input_type}; only json takes an object or array.`, { field: 'data' });
  }
  return request;
};

const parseTemplate = (body: Body): TemplateRequest => {
  if (absent(body.template_id)) throw Problem.of('missing_template_id', 'template_id is missing: it names the template to render.', { field: 'template_id' });
  return validated(templateRequest, body);
};

const moded = z.object({ mode: z.enum(modes) });

type RenderRequest = ConvertRequest | TemplateRequest;

const requireWebhookUrl = ({ webhook_url: url, webhook_method: method, webhook_headers: headers }: RenderRequest): void => {
  const stray = method !== undefined ? 'webhook_method' : headers !== undefined ? 'webhook_headers' : null;
  if (url !== undefined || stray === null) return;
  const message = `${stray} says how to call back, and there is no webhook_url to call.`;
  throw Problem.of('invalid_request', message, { field: stray });
};

/** A render request with its defaults filled in. What the other mode would need is not asked for. @throws Problem */
export const parseRenderRequest = (body: Body): RenderRequest => {
  const request = validated(moded, body).mode === 'RENDER' ? parseTemplate(body) : parseConvert(body);
  requireWebhookUrl(request);
  return request;
};

/** `neverWaits` is true where the path asks for an asynchronous render whatever the body says. */
export const wishOf = (request: RenderRequest, neverWaits: boolean): Wish => {
  const { webhook_url: url, webhook_method: method = 'POST', webhook_headers: headers = {} } = request;
  if (url !== undefined) return { kind: 'webhook', url, method, headers };
  return neverWaits ? { kind: 'poll' } : { kind: 'wait' };
};
