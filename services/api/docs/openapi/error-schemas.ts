import { type ErrorName, errors } from '#contracts/http/errors.ts';
import { printErrors } from '../../server/route.ts';
import { exampleExtra } from './error-examples.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';

const requestId = 'req_01JR04W1P8C2N5H7K9M3Q6S8VX';
const renderId = 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF';

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The name under which an error's schema stands in the document. */
export const errorSchemaName = (name: ErrorName): string => `${pascal(name).replace(/Error$/, '')}Error`;

const raisedByRender = new Set<ErrorName>([...printErrors, 'invalid_html', 'invalid_docx', 'invalid_markdown', 'template_render_error']);

/** The body of one error: what all of them have, and its own fields. */
export const errorSchema = (name: ErrorName): Json => {
  const { error, status, meaning, extra } = errors[name];
  const own = jsonSchemaOf(extra, 'output') as { properties?: Json; required?: string[] };
  const renderField = raisedByRender.has(name) ? { render_id: { type: 'string', description: 'The render that failed; it is on record.' } } : {};
  return {
    type: 'object',
    description: meaning,
    properties: {
      error: { type: 'string', const: error },
      message: { type: 'string', description: 'For people: what was wrong, where, and what is allowed.' },
      code: { type: 'integer', const: status, description: 'The HTTP status.' },
      request_id: { type: 'string', description: 'Also in the header X-Request-Id.' },
      trace_id: { type: 'string', description: 'The trace that the request belongs to, as in W3C Trace Context; there where the request is traced or brought a traceparent header.' },
      ...own.properties,
      ...renderField,
    },
    required: ['error', 'message', 'code', 'request_id', ...(own.required ?? [])],
  };
};

/** A body of this error with a value in every field. */
export const errorExample = (name: ErrorName): Json => {
  const { error, status, meaning } = errors[name];
  const renderField = raisedByRender.has(name) ? { render_id: renderId } : {};
  return { error, message: meaning, code: status, ...exampleExtra[name], ...renderField, request_id: requestId };
};
