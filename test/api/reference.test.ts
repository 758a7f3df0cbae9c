import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errors } from '#contracts/http/errors.ts';
import { routes } from '../../services/api/routes.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { issueToken, openBrowser } from '../support/people/browser.ts';

type Operation = { responses: Record<string, { headers: object }> };

let api: InProcessApi;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
afterAll(() => api.closeAndRemove());

const askOpenly = (url: string) => api.app.inject({ method: 'GET', url });

describe('The reference', () => {
  it('describes only routes that exist', () => {
    const missing = routes.filter(
      ({ method, path }) => !api.app.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    );
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('has the errors of a document for a repeated render, too', () => {
    const errorsOf = (path: string) => routes.find((one) => one.method === 'POST' && one.path === path)!.errors;
    const ofDocuments = errorsOf('/api/v1/render').filter(
      (name) => errors[name].status === 422 && name !== 'render_template_not_found',
    );
    expect(errorsOf('/api/v1/renders/{id}/repeat')).toEqual(expect.arrayContaining(ofDocuments));
  });

  it('lists the limit headers that a response to a person has', async () => {
    const browser = openBrowser(api.app);
    const signIn = await browser.signIn(await issueToken(api.eventLog, {}));
    const session = await browser.request('GET', '/api/v1/session');
    const { paths } = (await askOpenly('/openapi.json')).json<{ paths: Record<string, Record<string, Operation>> }>();
    const limitsIn = (headers: object): string[] =>
      Object.keys(headers).flatMap((name) => /^x-(?:ratelimit|quota)-.*/i.exec(name)?.[0].toLowerCase() ?? []);
    const { get, post } = paths['/api/v1/session']!;
    expect(limitsIn(get!.responses[session.status]!.headers).toSorted()).toEqual(limitsIn(session.headers).toSorted());
    expect(limitsIn(post!.responses[signIn.status]!.headers)).toEqual(limitsIn(signIn.headers));
    expect(session.headers).toHaveProperty('x-ratelimit-remaining');
  });

  it('is served as JSON and as a page, without a key', async () => {
    const description = await askOpenly('/openapi.json');
    expect(description.statusCode).toBe(200);
    expect(description.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Colophon' } });
    const page = await askOpenly('/docs');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });
});
