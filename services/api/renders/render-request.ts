import { z } from 'zod';
import { ApiError, combineErrors, invalidField, throwErrors } from '#contracts/http/api-error.ts';
import type { ComposeRequest } from '#contracts/http/compose.ts';
import {
  type ConvertRequest,
  convertRequest,
  requestModes,
  type TemplateRequest,
  templateRequest,
} from '#contracts/http/render.ts';
import type { PlanLimits } from '#contracts/plans.ts';
import type { RequestedResponseMode } from '#application/renders/submit-render.ts';
import { suggestValue } from '../server/validation/suggest.ts';
import { findErrors, type Validation } from '../server/validation/validate.ts';
import { findComposeErrors } from './compose-request.ts';
import { furtherErrors, isAbsent, missingField, requiredFieldOf, selectorErrors } from './document-fields.ts';

type Body = Record<string, unknown>;

type DocumentRequest = ConvertRequest | TemplateRequest;
type RenderRequest = DocumentRequest | ComposeRequest;
type Mode = RenderRequest['mode'];

const schemas = { CONVERT: convertRequest, RENDER: templateRequest } as const;
const modeSchema = z.object({ mode: z.enum(requestModes) });

const webhookErrors = (body: Body): ApiError[] =>
  body.webhook_url !== undefined
    ? []
    : ['webhook_method', 'webhook_headers']
        .filter((field) => body[field] !== undefined)
        .map((field) => invalidField(field, `${field} is allowed only with webhook_url.`));

/** Validates all but the mode itself. */
const findErrorsOf = (mode: Mode, body: Body, maxParts: number): Validation<RenderRequest> => {
  if (mode === 'COMPOSE') {
    const found = findComposeErrors(body, maxParts);
    return { ...found, errors: [...found.errors, ...webhookErrors(body)] };
  }
  const name = requiredFieldOf(mode);
  const isMissing = isAbsent(body[name]);
  const found: Validation<DocumentRequest> = findErrors(
    schemas[mode],
    body,
    ({ path: [field] }) => field !== 'mode' && !(isMissing && field === name),
  );
  const missing = isMissing ? [missingField(mode)] : [];
  const further = [...furtherErrors(mode, body), ...webhookErrors(body)];
  return { ...found, errors: [...missing, ...found.errors, ...further] };
};

/** The errors that a request has in both modes. */
const eitherMode = z
  .strictObject({ ...templateRequest.shape, ...convertRequest.shape })
  .omit({ mode: true })
  .partial();
const findErrorsOfEither = ({ mode: _, ...fields }: Body): Omit<Validation<never>, 'value'> => {
  const { errors, uncollected } = findErrors(
    eitherMode,
    fields,
    ({ path: [field] }) => field !== 'data' || !isAbsent(fields.data),
  );
  const missing = isAbsent(fields.data) ? [missingField('CONVERT')] : [];
  const others = [...selectorErrors(fields.wait_for_selector), ...webhookErrors(fields)];
  return { errors: [...missing, ...errors, ...others], uncollected };
};

/** The mode that was meant, if its value or other fields say so. */
const meantMode = (body: Body): Mode | null => {
  const meant = suggestValue('mode', body.mode, requestModes);
  if (meant !== null) return meant as Mode;
  if (Array.isArray(body.parts)) return 'COMPOSE';
  if (['template_id', 'template_version', 'templateId', 'template'].some((name) => !isAbsent(body[name])))
    return 'RENDER';
  return isAbsent(body.input_type) && typeof body.data !== 'string' ? null : 'CONVERT';
};

const missingMode = (mode: Mode): ApiError =>
  ApiError.of(
    'invalid_request',
    `mode is missing; it must be one of ${requestModes.join(', ')}; did you mean \`${mode}\`?`,
    {
      field: 'mode',
      did_you_mean: mode,
    },
  );

/**
 * Validates a render request by its mode and fills in the defaults. @throws ApiError the first error, with all others
 */
export const parseRenderRequest = (body: Body, { maxParts }: Pick<PlanLimits, 'maxParts'>): RenderRequest => {
  const [modeError] = findErrors(modeSchema, body).errors;
  if (!modeError) {
    const request = findErrorsOf(body.mode as Mode, body, maxParts);
    throwErrors(request.errors, request.uncollected);
    return request.value!;
  }
  const mode = meantMode(body);
  const others = mode === null ? findErrorsOfEither(body) : findErrorsOf(mode, body, maxParts);
  const first = mode !== null && body.mode === undefined ? missingMode(mode) : modeError;
  throw combineErrors([first, ...others.errors], others.uncollected);
};

/** `neverWaits`: the route accepts only asynchronous renders, whatever the body says. */
export const responseModeOf = (request: RenderRequest, neverWaits: boolean): RequestedResponseMode => {
  const { webhook_url: url, webhook_method: method = 'POST', webhook_headers: headers = {} } = request;
  if (url !== undefined) return { kind: 'webhook', url, method, headers };
  return neverWaits ? { kind: 'poll' } : { kind: 'wait' };
};
