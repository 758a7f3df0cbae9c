import { type ErrorName, errors } from '#contracts/http/errors.ts';
import type { Route, RouteRequest, RouteResponse } from '../../server/route.ts';
import { callbackReferences } from './callbacks.ts';
import { errorExample, errorSchemaName } from './errors.ts';
import { codeSamples } from './code-samples.ts';
import { type Json, parametersIn, referenceTo } from './json-schema.ts';

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({ description, schema: { type: 'integer' } });

/** Headers of many responses. The document refers to them by these names. */
export const sharedHeaders: Record<string, Json> = {
  'X-Request-Id': text('The id of the request. Errors have it in their body, too.'),
  'X-RateLimit-Limit': count('Requests per minute; absent if unlimited.'),
  'X-RateLimit-Remaining': count('Requests left in this minute.'),
  'X-RateLimit-Reset': count('When the minute ends, in Unix seconds.'),
  'X-Quota-Limit': count('Renders per calendar month (UTC); absent if unlimited.'),
  'X-Quota-Remaining': count('Renders left in this month.'),
  'X-Quota-Reset': count('When the month ends, in Unix seconds.'),
  'Retry-After': count('Seconds to wait before the next try.'),
};

/** The start of the names of limit headers. A person without an account has a rate limit, but no quota. */
const limitHeadersOf = ({ permission, session }: Route): RegExp | null => {
  if (permission) return /^X-(RateLimit|Quota)-/;
  return session === 'required' || session === 'operator' ? /^X-RateLimit-/ : null;
};

const namesFor = (route: Route, status: number, failures: readonly ErrorName[]): string[] => {
  const limits = status === 401 ? null : limitHeadersOf(route);
  return [
    'X-Request-Id',
    ...Object.keys(sharedHeaders).filter((name) => limits?.test(name)),
    ...(failures.some((name) => 'retry_after' in errors[name].extra.shape) ? ['Retry-After'] : []),
  ];
};

/** The headers of a response: those of all such responses, and its own. */
const headersOf = (
  route: Route,
  status: number,
  ownHeaders: Record<string, string>,
  failures: readonly ErrorName[] = [],
): Json => ({
  ...Object.fromEntries(
    namesFor(route, status, failures).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  ...Object.fromEntries(Object.entries(ownHeaders).map(([name, description]) => [name, text(description)])),
});

const json = 'application/json';

const parametersOf = ({ params, query, headers }: RouteRequest): Json[] => [
  ...parametersIn('path', params),
  ...parametersIn('query', query),
  ...parametersIn('header', headers),
];

const contentOf = ({ schema, contentType, examples }: RouteResponse): Json => {
  const inJson = schema && { [json]: { schema: referenceTo(schema, 'output'), ...(examples ? { examples } : {}) } };
  const files = Object.fromEntries([contentType ?? []].flat().map((type) => [type, {}]));
  return inJson || contentType ? { content: { ...inJson, ...files } } : {};
};

const requestContentOf = ({ body, examples = {}, multipart, multipartExamples = {} }: RouteRequest): Json => ({
  ...(body ? { [json]: { schema: referenceTo(body, 'input'), examples } } : {}),
  ...(multipart
    ? { 'multipart/form-data': { schema: referenceTo(multipart, 'input'), examples: multipartExamples } }
    : {}),
});

const successOf = (route: Route, response: RouteResponse): Json => ({
  description: response.description,
  headers: headersOf(route, response.status, response.headers ?? {}),
  ...contentOf(response),
});

const failureOf = (route: Route, status: number, names: ErrorName[]): Json => {
  const references = names.map((name) => ({ $ref: `#/components/schemas/${errorSchemaName(name)}` }));
  const mapping = Object.fromEntries(
    names.map((name) => [errors[name].error, `#/components/schemas/${errorSchemaName(name)}`]),
  );
  return {
    description: names.map((name) => `- \`${errors[name].error}\`: ${errors[name].meaning}`).join('\n'),
    headers: headersOf(route, status, {}, names),
    content: {
      [json]: {
        schema:
          references.length === 1
            ? references[0]
            : { oneOf: references, discriminator: { propertyName: 'error', mapping } },
        examples: Object.fromEntries(
          names.map((name) => [errors[name].error, { summary: errors[name].error, value: errorExample(name) }]),
        ),
      },
    },
  };
};

const failuresOf = (route: Route): [string, Json][] => {
  const byStatus = Map.groupBy(new Set(route.errors), (name) => errors[name].status);
  return [...byStatus].map(([status, names]) => [String(status), failureOf(route, status, names)]);
};

// With two responses for one status, an object would silently drop one of them.
const responsesByStatus = (route: Route, entries: [string, Json][]): Json => {
  const statuses = entries.map(([status]) => status);
  if (new Set(statuses).size < statuses.length)
    throw new Error(`${route.method} ${route.path} has two responses for one status.`);
  return Object.fromEntries(entries.toSorted(([a], [b]) => Number(a) - Number(b)));
};

const securityOf = ({ permission, session, tokenParameter }: Route): Json[] => [
  ...(permission ? [{ apiKey: [] }] : []),
  ...(permission || (session && session !== 'start' && session !== 'callback') ? [{ session: [] }] : []),
  ...(tokenParameter ? [{}] : []),
];

/** One operation of the OpenAPI document. `apiUrl` is the URL of the service in code samples. */
export const operationOf = (route: Route, apiUrl: string): Json => {
  const { tag, summary, permission, request = {}, responses } = route;
  const description = typeof route.description === 'string' ? route.description : route.description();
  const parameters = parametersOf(request);
  return {
    operationId: route.operationId,
    tags: [tag],
    summary,
    description: permission ? `${description}\n\nNeeds the permission \`${permission}\`.` : description,
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request.body
      ? {
          requestBody: {
            required: !request.bodyIsOptional,
            content: requestContentOf(request),
          },
        }
      : {}),
    responses: responsesByStatus(route, [
      ...responses.map((response): [string, Json] => [String(response.status), successOf(route, response)]),
      ...failuresOf(route),
    ]),
    ...(route.sendsCallback ? { callbacks: callbackReferences } : {}),
    ...(route.operationId === 'render' ? { 'x-codeSamples': codeSamples(apiUrl) } : {}),
  };
};
