import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';
import { etagFor, matchesIfNoneMatch } from '../server/etag.ts';
import { logo, styles } from './branding.ts';

// All parts of the page come from this service, and the page connects to no other.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page and its assets, served by a separate Fastify instance. */
const openPages = async (document: OpenApiDocument): Promise<FastifyInstance> => {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const pages = Fastify();
  await pages.register(swagger, { mode: 'static', specification: { document: document as never } });
  await pages.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentSecurityPolicy,
    theme: { title: 'Colophon API', css: [{ filename: 'colophon.css', content: styles }] },
    logo: { type: 'image/svg+xml', content: logo, href: '/docs', target: '_self' },
    uiConfig: {
      url: '/openapi.json',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      defaultModelRendering: 'model',
      displayRequestDuration: true,
      tryItOutEnabled: true,
      persistAuthorization: false,
    },
  });
  return pages;
};

const once = <T>(create: () => T): (() => T) => {
  let created: { value: T } | undefined;
  return () => (created ??= { value: create() }).value;
};

const connectionHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

/**
 * Serves the OpenAPI document at /openapi.json, and at /docs a page to read it and try it out. Both are created at the
 * first request, because most processes never serve them.
 */
export const registerDocs = (app: FastifyInstance, build: () => OpenApiDocument): void => {
  const document = once(build);
  const file = once(() => {
    const content = Buffer.from(JSON.stringify(document()));
    return { content, etag: etagFor(content) };
  });
  app.get('/openapi.json', async (request, reply) => {
    const { content, etag } = file();
    reply.headers({ 'cache-control': 'no-cache', etag });
    if (matchesIfNoneMatch(request, etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(content);
  });

  const pages = once(() => openPages(document()));
  const servePage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { statusCode, headers, rawPayload } = await (
      await pages()
    ).inject({ url: request.url, headers: request.headers });
    if (statusCode === 404) {
      reply.callNotFound();
      return reply;
    }
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && !connectionHeaders.has(name)) reply.header(name, value);
    return reply.code(statusCode).send(rawPayload);
  };
  app.get('/docs', servePage);
  app.get('/docs/*', servePage);
};
