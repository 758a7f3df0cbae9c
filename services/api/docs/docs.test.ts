import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildOpenApi } from './openapi.ts';
import { routes } from '../routes.ts';
import { registerDocs } from './routes.ts';

const document = buildOpenApi(routes, { version: '1.2.3' });
let app: FastifyInstance;

beforeAll(async () => {
  app = Fastify();
  registerDocs(app, document);
  await app.ready();
});
afterAll(() => app.close());

test('the description of the API is served as JSON', async () => {
  const answer = await app.inject('/openapi.json');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

const assetsIn = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, address]) => address ?? '');

test.each(['/docs', '/docs/'])('%s is a page whose every part comes from the service itself', async (address) => {
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

test('the page may run no script but those of the service, and send nothing elsewhere', async () => {
  const { headers, body } = await app.inject('/docs');
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
  expect(body).not.toMatch(/<script(?![^>]*src=)[^>]*>|<style|\son\w+=/);
});

test('the policy of the page is not put on the answers of the API', async () => {
  expect((await app.inject('/openapi.json')).headers).not.toHaveProperty('content-security-policy');
});
