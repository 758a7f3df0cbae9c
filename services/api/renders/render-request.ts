import { z } from 'zod';
import { Problem } from '#contracts/http/problem.ts';
import { type ConvertRequest, convertRequest, modes, type TemplateRequest, templateRequest } from '#contracts/http/render.ts';
import type { ClearTarget } from '#application/deliveries/target.ts';
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

/** A render request with its defaults filled in. What `data` or `template_id` lack is said only where the mode asks for them. @throws Problem */
export const parseRenderRequest = (body: Body): ConvertRequest | TemplateRequest =>
  validated(moded, body).mode === 'RENDER' ? parseTemplate(body) : parseConvert(body);

type Webhook = Pick<ConvertRequest | TemplateRequest, 'webhook_url' | 'webhook_method' | 'webhook_headers'>;

/** How the caller wants the PDF. */
export type Wish = { kind: 'wait' } | { kind: 'poll' } | ({ kind: 'webhook' } & ClearTarget);

/** `neverWaits` is true where the path asks for an asynchronous render in any case. @throws Problem invalid_request */
export const wishOf = (webhook: Webhook, neverWaits: boolean): Wish => {
  const { webhook_url: url, webhook_method: method, webhook_headers: headers } = webhook;
  if (url !== undefined) return { kind: 'webhook', url, method: method ?? 'POST', headers: headers ?? {} };
  const stray = method !== undefined ? 'webhook_method' : headers !== undefined ? 'webhook_headers' : null;
  if (stray) throw Problem.of('invalid_request', `${stray} says how to call back, and there is no webhook_url to call.`, { field: stray });
  return neverWaits ? { kind: 'poll' } : { kind: 'wait' };
};
