import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from './openapi.ts';
import { logo, styles } from './branding.ts';

// Everything comes from this service, and the page talks to nobody else.
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

/** Serves the API's description at /openapi.json, and at /docs a page to read it and try it out. */
export const registerDocs = (app: FastifyInstance, document: OpenApiDocument): void => {
  const text = JSON.stringify(document);
  app.get('/openapi.json', async (_, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text),
  );

  app.register(async (pages) => {
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
  });
};
