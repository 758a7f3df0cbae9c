import { validate as validateByReadme } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { signatureHeaders } from '#application/deliveries/signature-headers.ts';
import { doneCallback, failedCallback } from '#contracts/http/callback.ts';
import { type ErrorName, errors } from '#contracts/http/errors.ts';
import { pageRequestFields } from '#contracts/http/page-request.ts';
import { renderOptionFields } from '#contracts/http/render-options.ts';
import { webhookFields } from '#contracts/http/webhook.ts';
import { callbackExamples, callbackReferences } from './openapi/callbacks.ts';
import { errorExample, errorSchemaName } from './openapi/errors.ts';
import { exampleExtra } from './openapi/errors.ts';
import { buildOpenApi } from './openapi.ts';
import { routes } from '../routes.ts';

const built = JSON.stringify(buildOpenApi(routes, { version: '1.2.3', baseUrl: 'http://localhost:8080' }));
const copy = () => JSON.parse(built);

test('the document is valid OpenAPI 3.1 for two validators', async () => {
  const validator = new Validator();
  expect(await validator.validate(copy())).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect(await validateByReadme(copy())).toMatchObject({ valid: true });
});

test('every route is in the document once, with its own operation id', () => {
  const operations = Object.values(copy().paths).flatMap((path) => Object.values(path as object)) as {
    operationId: string;
  }[];
  expect(operations).toHaveLength(routes.length);
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
});

test('a date or time has a format and no pattern that repeats it', () => {
  const text = JSON.stringify(copy());
  expect(text.match(/"format":"date-time"/g)).not.toBeNull();
  expect(text.match(/"format":"date(?:-time)?","pattern":"[^"]*"/g)).toBeNull();
});

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s lists every error it can return, under its status, with its fields and an example',
  (_, route) => {
    const document = copy();
    const { responses } = document.paths[route.path][route.method.toLowerCase()];
    for (const name of route.errors) {
      const { error, status, extra } = errors[name];
      const { content } = responses[status];
      expect(content['application/json'].examples[error].value).toMatchObject({ error, code: status });
      expect(JSON.stringify(content['application/json'].schema)).toContain(
        `"#/components/schemas/${errorSchemaName(name)}"`,
      );
      expect(Object.keys(document.components.schemas[errorSchemaName(name)].properties)).toEqual(
        expect.arrayContaining(['error', 'message', 'code', 'request_id', ...Object.keys(extra.shape)]),
      );
    }
  },
);

test.each([
  ['with a key', 'render', '200', ['X-RateLimit', 'X-Quota']],
  ['of a person', 'getSession', '200', ['X-RateLimit']],
  ['of an operator', 'listAccounts', '200', ['X-RateLimit']],
  ['that signs in', 'signIn', '201', []],
])('an operation %s lists the headers of its limits and Retry-After', (_, operationId, success, limits) => {
  const { path, method } = routes.find((route) => route.operationId === operationId)!;
  const { responses } = copy().paths[path][method.toLowerCase()];
  const always = [
    'X-Request-Id',
    ...limits.flatMap((of) => ['Limit', 'Remaining', 'Reset'].map((end) => `${of}-${end}`)),
  ];
  const namesAt = (status: string): string[] => Object.keys(responses[status].headers);
  expect(namesAt(success)).toEqual(expect.arrayContaining(always));
  for (const status of ['429', '503'])
    expect(namesAt(status).toSorted()).toEqual([...always, 'Retry-After'].toSorted());
  if (responses['401']) expect(namesAt('401')).toEqual(['X-Request-Id']);
});

test('a route that needs a key names the permission and lists the errors of the key', () => {
  for (const route of routes.filter(({ path, session }) => path.startsWith('/api/') && !session)) {
    expect(route.permission).toBeDefined();
    expect(route.errors).toEqual(
      expect.arrayContaining([
        'missing_authorization',
        'invalid_api_key',
        'revoked_api_key',
        'expired_api_key',
        'insufficient_permissions',
        'account_suspended',
        'rate_limit_exceeded',
        'internal_error',
      ]),
    );
  }
});

test.each(Object.keys(errors) as ErrorName[])('the example of the error %s has all fields of the error', (name) => {
  expect(errors[name].extra.strict().safeParse(exampleExtra[name] ?? {}).error).toBeUndefined();
  expect(errorExample(name)).toMatchObject({ error: errors[name].error, code: errors[name].status });
});

const bodies = routes.flatMap(({ method, path, request }) =>
  Object.entries(request?.examples ?? {}).map(
    ([name, { value }]) => [`${method} ${path}`, name, request?.body as z.ZodType, value] as const,
  ),
);

test.each(bodies)('%s accepts its example %s', (_route, _name, schema, value) => {
  expect(schema.safeParse(value).error).toBeUndefined();
});

const responseExamples = routes.flatMap(({ method, path, responses }) =>
  responses.flatMap(({ status, schema, examples = {} }) =>
    Object.entries(examples).map(
      ([name, { value }]) => [`${method} ${path}`, status, name, schema as z.ZodType, value] as const,
    ),
  ),
);

test.each(responseExamples)('%s has for status %i a valid example %s', (_route, _status, _name, schema, value) => {
  expect(schema.safeParse(value).error).toBeUndefined();
});

test('a field with a default is optional in requests and present in every response', () => {
  const { ConvertRequest, CreatedTemplate } = copy().components.schemas;
  expect(ConvertRequest.required).toEqual(['mode', 'input_type', 'data']);
  expect(CreatedTemplate.properties.variables.items.required).toContain('required');
});

test('two responses for one status of a route are rejected', () => {
  const [route] = routes;
  const twice = { ...route!, responses: [...route!.responses, ...route!.responses] };
  expect(() => buildOpenApi([twice], { version: '1', baseUrl: '' })).toThrow('has two responses for one status');
});

test('the description of POST /render has a row for every option, with its default', () => {
  const { description } = copy().paths['/api/v1/render'].post as { description: string };
  for (const name of Object.keys({ ...renderOptionFields, ...pageRequestFields, ...webhookFields }))
    expect(description).toContain(`\n| \`${name}\` | `);
  expect(description).toContain('| `margin_top` | `20` | 0 to 100, or text with a unit | ');
  expect(description).toContain('| `orientation` | `portrait` | `portrait`, `landscape` | ');
});

test('operations that accept a webhook_url describe the callback: both bodies, signatures and responses', () => {
  const { paths, components } = copy();
  const withCallback = routes.filter(({ request }) => JSON.stringify(request?.examples ?? {}).includes('webhook_url'));
  expect(withCallback.map(({ operationId }) => operationId)).toContain('repeatRender');
  for (const { path, method } of withCallback.filter(({ operationId }) => operationId !== 'redeliverJob'))
    expect(paths[path][method.toLowerCase()].callbacks).toEqual(callbackReferences);
  const { post } = components.callbacks.renderEnded['{$request.body#/webhook_url}'];
  expect(post.parameters.map(({ name }: { name: string }) => name.toLowerCase())).toEqual(
    Object.keys(signatureHeaders('msg_1', Buffer.of(), ['whsec_'], new Date())),
  );
  expect(Object.keys(post.responses)).toEqual(['2XX', '5XX', 'default']);
  expect(doneCallback.strict().safeParse(callbackExamples.DONE).error).toBeUndefined();
  expect(failedCallback.strict().safeParse(callbackExamples.FAILED).error).toBeUndefined();
});
