import { z } from 'zod';
import type { ErrorName } from '#contracts/http/errors.ts';
import { errorSchema, errorSchemaName } from './openapi/errors.ts';
import { guide } from './openapi/guide.ts';
import { sharedHeaders } from './openapi/operation.ts';
import { definitionOf, type Direction, type Json } from './openapi/json-schema.ts';
import { operationOf } from './openapi/operation.ts';
import { type Route, schemaNames } from '../server/route.ts';

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json & { openapi: string; paths: Record<string, Json> };

const tags = [
  { name: 'Rendering', description: 'Turn content into PDF.' },
  { name: 'Jobs', description: 'The state of asynchronous renders and of their callbacks.' },
  { name: 'Templates', description: 'Store, version and test HTML with placeholders.' },
  { name: 'Account', description: 'The limits, the usage and the history of the account.' },
  { name: 'Operation', description: 'For operators of the service.' },
];

type SchemaUse = { schema: z.ZodType; direction: Direction };

const membersOf = (schema: z.ZodType): z.ZodType[] =>
  schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [];

const schemaUsesOf = ({ request, responses }: Route): SchemaUse[] => [
  ...(request?.body
    ? [request.body, ...membersOf(request.body)].map((schema): SchemaUse => ({ schema, direction: 'input' }))
    : []),
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

const pathsOf = (routes: readonly Route[]): Record<string, Json> => {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, some]) => [
      path,
      Object.fromEntries(some.map((route) => [route.method.toLowerCase(), operationOf(route)])),
    ]),
  );
};

/**
 * Builds the API reference. `baseUrl` is the address of the API; by default it is the address from which the caller has
 * the document.
 */
export const buildOpenApi = (
  routes: readonly Route[],
  { version, baseUrl = '/' }: { version: string; baseUrl?: string },
): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {
    title: 'Colophon',
    version,
    summary: 'Documents to PDF',
    description: guide,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: baseUrl }],
  tags,
  paths: pathsOf(routes),
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `svc_test_...` or `svc_live_...`.' },
    },
    headers: sharedHeaders,
    schemas: { ...schemasOf(routes), ...errorSchemasOf(routes) },
  },
});
