import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOpenApi } from './openapi.ts';
import { routes } from '../routes.ts';
import { registerDocs } from './routes.ts';

const document = buildOpenApi(routes, { version: '1.2.3', baseUrl: 'http://localhost:8080' });
let app: FastifyInstance;

beforeAll(async () => {
  app = Fastify();
  registerDocs(app, () => document);
  await app.ready();
});
afterAll(() => app.close());

test('the OpenAPI document is served as JSON', async () => {
  const response = await app.inject('/openapi.json');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

test('an OpenAPI document that the caller has is not sent again', async () => {
  const { etag } = (await app.inject('/openapi.json')).headers;
  const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
  expect(again).toMatchObject({ statusCode: 304, body: '' });
  expect((await app.inject({ url: '/openapi.json', headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
});

const assetsIn = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address ?? '');

test.each(['/docs', '/docs/'])('%s loads all its assets from the service itself', async (address) => {
  const page = await app.inject(address);
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  const assets = assetsIn(page.body);
  expect(assets.length).toBeGreaterThan(4);
  for (const asset of assets) {
    const { origin, pathname } = new URL(asset, `http://service${address}`);
    expect(origin).toBe('http://service');
    expect((await app.inject(pathname)).statusCode).toBe(200);
  }
});

test('the content security policy of the page allows only scripts and connections of the service', async () => {
  const { headers, body } = await app.inject('/docs');
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
  expect(body).not.toMatch(/<script(?![^>]*src=)[^>]*>|<style|\son\w+=/);
});

test('responses of the API do not have the content security policy of the page', async () => {
  expect((await app.inject('/openapi.json')).headers).not.toHaveProperty('content-security-policy');
});
test.each(['/docs/nothing', '/docs/static/nothing.js', '/docs/static/../../package.json'])(
  '%s does not exist',
  async (address) => {
    expect((await app.inject(address)).statusCode).toBe(404);
  },
);

test('an unchanged asset of the page is not sent again', async () => {
  const first = await app.inject('/docs/static/swagger-ui.css');
  const again = await app.inject({
    url: '/docs/static/swagger-ui.css',
    headers: { 'if-none-match': String(first.headers['etag']) },
  });
  expect([first.statusCode, again.statusCode, again.body]).toEqual([200, 304, '']);
});

test('the OpenAPI document is built once, at the first request', async () => {
  let buildCount = 0;
  const server = Fastify();
  registerDocs(server, () => {
    buildCount += 1;
    return document;
  });
  await server.ready();
  expect(buildCount).toBe(0);
  for (const address of ['/openapi.json', '/docs', '/openapi.json'])
    expect((await server.inject(address)).statusCode).toBe(200);
  expect(buildCount).toBe(1);
  await server.close();
});

test('HEAD returns the headers of GET without a body', async () => {
  const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/docs' });
  expect([statusCode, body]).toEqual([200, '']);
  expect(Number(headers['content-length'])).toBe((await app.inject('/docs')).rawPayload.length);
});
