import { Problem } from '#contracts/http/problem.ts';
import { type ConvertRequest, convertRequest, modes } from '#contracts/http/render.ts';
import { validated } from './validate.ts';

type Body = Record<string, unknown>;

const bodyOf = (sent: unknown): Body => {
  if (!sent) throw Problem.of('invalid_request', 'The body is empty; it must be a JSON object.');
  return sent as Body;
};

const requireMode = (body: Body): void => {
  if (body.mode === undefined) throw Problem.of('invalid_request', `mode is missing; it must be one of ${modes.join(', ')}.`, { field: 'mode' });
};

/** @throws Problem */
export const parseConvert = (sent: unknown): ConvertRequest => {
  const body = bodyOf(sent);
  requireMode(body);
  if (body.mode === 'CONVERT' && (body.data === undefined || body.data === null || body.data === '')) throw Problem.of('missing_data', 'data is missing: it holds the content to convert.', { field: 'data' });
  const request = validated(convertRequest, body);
  if (typeof request.data !== 'string' && request.input_type !== 'json') {
    throw Problem.of('invalid_request', `data must be a string where input_type is ${request.input_type}; only json takes an object or array.`, { field: 'data' });
  }
  return request;
};

/** What is stored of `data`: the text as sent, or the JSON of a value. @throws Problem for JSON nested too deeply to be written out */
export const dataBytes = (data: ConvertRequest['data']): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  try {
    return Buffer.from(JSON.stringify(data));
  } catch {
    throw Problem.of('invalid_request', 'data is nested too deeply.', { field: 'data' });
  }
};
