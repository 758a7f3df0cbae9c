import { z } from 'zod';
import type { ErrorName } from '#contracts/http/errors.ts';
import { errorSchema, errorSchemaName } from './openapi/errors.ts';
import { callbackComponents, callbackSchemas } from './openapi/callbacks.ts';
import { guideFor } from './openapi/guide.ts';
import { sharedHeaders } from './openapi/operation.ts';
import { definitionOf, type Direction, type Json } from './openapi/json-schema.ts';
import { operationOf } from './openapi/operation.ts';
import { type Route, schemaNames } from '../server/route.ts';

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json & { openapi: string; paths: Record<string, Json> };

const tags = [
  { name: 'Rendering', description: 'Turn content into PDF.' },
  { name: 'Jobs', description: 'The state of asynchronous renders and of their callbacks.' },
  { name: 'Webhooks', description: 'Callbacks with their attempts, the secret that signs them, and test callbacks.' },
  { name: 'Templates', description: 'Store, version and test HTML with placeholders.' },
  { name: 'Account', description: 'The limits, the usage and the history of the account.' },
  { name: 'People', description: 'Sign-in of people, their sessions and passkeys, and the members of accounts.' },
  { name: 'Operation', description: 'For operators of the service.' },
];

type SchemaUse = { schema: z.ZodType; direction: Direction };

const membersOf = (schema: z.ZodType): z.ZodType[] =>
  schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [];

const schemaUsesOf = ({ request, responses }: Route): SchemaUse[] => [
  ...(request?.body
    ? [request.body, ...membersOf(request.body)].map((schema): SchemaUse => ({ schema, direction: 'input' }))
    : []),
  ...(request?.multipart ? [{ schema: request.multipart, direction: 'input' } as const] : []),
  ...responses.flatMap(({ schema }) =>
    schema ? [schema, ...membersOf(schema)].map((one): SchemaUse => ({ schema: one, direction: 'output' })) : [],
  ),
];

const schemasOf = (routes: readonly Route[]): Json =>
  Object.fromEntries(
    routes.flatMap(schemaUsesOf).flatMap(({ schema, direction }) => {
      const name = schemaNames.get(schema)?.id;
      return name === undefined ? [] : [[name, definitionOf(schema, direction)]];
    }),
  );

const errorSchemasOf = (routes: readonly Route[]): Json => {
  const names = new Set<ErrorName>(routes.flatMap(({ errors }) => errors));
  return Object.fromEntries([...names].map((name) => [errorSchemaName(name), errorSchema(name)]));
};

const pathsOf = (routes: readonly Route[], apiUrl: string): Record<string, Json> => {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method.toLowerCase(), operationOf(route, apiUrl)])),
    ]),
  );
};

/** Builds the API reference. `baseUrl` is the URL of the service in code samples. */
export const buildOpenApi = (
  routes: readonly Route[],
  { version, baseUrl }: { version: string; baseUrl: string },
): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {
    title: 'Colophon',
    version,
    summary: 'Documents to PDF',
    description: guideFor(baseUrl),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  // The URL of the service from which the caller got the document.
  servers: [{ url: '/' }],
  tags,
  paths: pathsOf(routes, baseUrl),
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `svc_test_...` or `svc_live_...`.' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'colophon_session',
        description:
          'The session of a signed-in person in the dashboard; the name begins with `__Host-` if the service uses TLS. ' +
          'The header `X-Colophon-Account` names the account; without it, the request is for the first account of the ' +
          'person. A request that changes something needs the header `Origin` with the own origin of the service.',
      },
    },
    headers: sharedHeaders,
    callbacks: callbackComponents(),
    schemas: { ...schemasOf(routes), ...callbackSchemas(), ...errorSchemasOf(routes) },
  },
});
