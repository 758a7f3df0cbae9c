import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, jobIdOf, streams } from '#contracts/names.ts';
import { maxVerifications } from '#libs/domain/render.ts';
import { eraseExpiredPdfs } from '../../services/sweeper/erase.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';
import { renderJob, stubPrint, verifyNext } from '../support/api/stub-renderer.ts';

type Body = Record<string, unknown>;

const hourMs = 3_600_000;
let api: InProcessApi;
let accountId: string;
let secret: string;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
beforeEach(async () => {
  accountId = await api.createAccount('pro', { requestsPerMinute: 100_000 });
  ({ secret } = await api.createKey(accountId));
});
afterAll(() => api.closeAndRemove());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await api.request(secret, method, path, body);
  return { ...response, body: response.body as Body };
};
const bare = (id: string): string => bareId('render', id)!;
const finished = async (fields: Body = {}, print = stubPrint): Promise<string> => {
  const { body } = await send('POST', '/api/v1/render', { ...htmlRequest, ...fields });
  await renderJob(api, jobIdOf(bare(String(body.id))), print);
  await api.catchUpReadModels();
  return String(body.id);
};
const pathOf = (id: string): string => `/api/v1/renders/${id}/verify`;
const verify = async (id: string, body?: unknown, print = stubPrint) => {
  const [response] = await Promise.all([send('POST', pathOf(id), body), verifyNext(api, id, print)]);
  return response;
};
const otherBytes: typeof stubPrint = async (request) => ({
  ...(await stubPrint(request)),
  pdf: Buffer.from('%PDF-1.4 and more'),
  pages: 2,
  engine: 'other',
});
const typesOf = async (id: string) => (await api.eventLog.store.read(streams.render(bare(id)))).map(({ type }) => type);

describe('A verification', () => {
  it('says that the PDF has the same bytes, and is recorded in the history and the record', async () => {
    const id = await finished();
    const { status, body } = await verify(id);
    expect([status, body]).toMatchObject([200, { id, matches: true, differs_in: [], first_different_byte: null }]);
    expect(body.recorded).toEqual(body.now);
    expect(body).not.toHaveProperty('pdf_url');
    expect((await typesOf(id)).slice(-2)).toEqual(['VerificationRequested', 'RenderVerified']);
    expect((await send('GET', `/api/v1/renders/${id}`)).body).toMatchObject({
      verification: { matches: true, time: body.verified_at },
    });
    const { body: history } = await send('GET', `/api/v1/renders/${id}/events`);
    expect((history.events as Body[]).at(-1)).toMatchObject({ type: 'RenderVerified', data: { kept_until: null } });
  });

  it('keeps a PDF for an hour that was never kept, if it is asked to and the bytes are the same', async () => {
    const id = await finished();
    const { body } = await verify(id, { keep_pdf: true });
    expect(body).toMatchObject({ pdf_url: expect.any(String), pdf_expires_at: '2026-05-20T13:00:30.000Z' });
    expect(await send('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ status: 200, body: '%PDF-1.7' });
    expect((await send('GET', `/api/v1/renders/${id}`)).body).toHaveProperty('pdf_url');
    const { reads, blobs } = api.engines;
    const before = api.clock.now;
    api.clock.now = new Date(before.getTime() + hourMs + 1);
    expect(await eraseExpiredPdfs({ eventLog: api.eventLog, reads, blobs })).toBe(1);
    expect((await send('GET', `/api/v1/renders/${id}/pdf`)).body).toMatchObject({ error: 'download_expired' });
    api.clock.now = before;
  });

  it('keeps the PDF no longer than the account keeps its PDFs', async () => {
    await send('PUT', '/api/v1/account/settings', { pdf_retention_minutes: 10 });
    const id = await finished();
    const { body } = await verify(id, { keep_pdf: true });
    expect(Date.parse(String(body.pdf_expires_at)) - Date.parse(String(body.verified_at))).toBe(hourMs / 6);
  });

  it('keeps the PDF at the next request if it could not be stored; until then it counts as expired', async () => {
    const id = await finished();
    const { body } = await verify(id, { keep_pdf: true });
    await api.engines.blobs.delete(String((body.recorded as Body).sha256));
    // It may be stored any moment.
    expect((await send('GET', `/api/v1/renders/${id}/pdf`)).body).toMatchObject({ error: 'service_unavailable' });
    const before = api.clock.now;
    api.clock.now = new Date(before.getTime() + 60_000);
    for (const path of [`/api/v1/renders/${id}/pdf`, `/api/v1/download/${id}`])
      expect((await send('GET', path)).body).toMatchObject({ error: 'download_expired' });
    await verify(id, { keep_pdf: true });
    expect(await send('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ status: 200, body: '%PDF-1.7' });
    api.clock.now = before;
  });

  it('says where the PDFs differ while the recorded one is kept, and does not keep the other one', async () => {
    const id = await finished({ keep_pdf: true });
    const { body } = await verify(id, { keep_pdf: true }, otherBytes);
    expect(body).toMatchObject({
      matches: false,
      differs_in: ['bytes', 'size', 'pages', 'engine'],
      first_different_byte: 7,
      now: { pages: 2, engine: 'other' },
    });
    expect(await send('GET', `/api/v1/renders/${id}/pdf`)).toMatchObject({ status: 200, body: '%PDF-1.7' });
    const unkept = await finished();
    await api.engines.blobs.delete(String((body.recorded as Body).sha256));
    expect((await verify(unkept, undefined, otherBytes)).body).toMatchObject({ first_different_byte: null });
  });

  it('responds with the error of the second rendering', async () => {
    const id = await finished();
    const fails = async () => {
      throw ApiError.of('image_load_failed', 'gone', { image_url: 'https://example.com/a.png', reason: '404' });
    };
    expect(await verify(id, undefined, fails)).toMatchObject({ status: 422, body: { error: 'image_load_failed' } });
    expect((await send('GET', `/api/v1/renders/${id}`)).body).not.toHaveProperty('verification');
  });

  it('is shared by callers at the same time; a third request of the account is rejected', async () => {
    const id = await finished();
    const first = send('POST', pathOf(id));
    await expect.poll(() => typesOf(id)).toContain('VerificationRequested');
    const others = [send('POST', pathOf(id)), send('POST', pathOf(id))];
    // One is rejected only when the other has begun.
    expect((await Promise.race(others)).status).toBe(429);
    await verifyNext(api, id);
    expect((await Promise.all([first, ...others])).map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    const ofVerifications = (await typesOf(id)).filter((type) => type.includes('Verif'));
    expect(ofVerifications).toEqual(['VerificationRequested', 'RenderVerified']);
  });

  it('keeps the PDF for a caller who asks for it while another verification is under way', async () => {
    const id = await finished();
    const first = send('POST', pathOf(id));
    await expect.poll(() => typesOf(id)).toContain('VerificationRequested');
    const second = send('POST', pathOf(id), { keep_pdf: true });
    await verifyNext(api, id);
    await expect.poll(async () => (await typesOf(id)).at(-1)).toBe('VerificationRequested');
    await verifyNext(api, id);
    expect((await first).status).toBe(200);
    expect((await second).body).toMatchObject({ matches: true, pdf_url: expect.any(String) });
    expect((await typesOf(id)).filter((type) => type === 'RenderVerified')).toHaveLength(2);
  });

  it('needs a completed render, its input, and fewer than twenty before', async () => {
    const failed = await finished({}, async () => {
      throw ApiError.of('conversion_failed', 'broken');
    });
    expect((await send('POST', pathOf(failed))).body).toMatchObject({
      error: 'pdf_not_available',
      render_status: 'FAILED',
    });
    const queued = String((await send('POST', '/api/v1/render', htmlRequest)).body.id);
    expect((await send('POST', pathOf(queued))).body).toMatchObject({ render_status: 'QUEUED' });
    const id = await finished({ data: '<p>only here' });
    for (let count = 0; count < maxVerifications; count += 1) await verify(id);
    expect((await send('POST', pathOf(id))).body).toMatchObject({
      error: 'verification_limit_exceeded',
      limit: maxVerifications,
    });
    const lost = await finished({ data: '<p>will be lost' });
    const [requested] = await api.eventLog.store.read(streams.render(bare(lost)));
    if (requested?.type !== 'RenderRequested' || requested.data.source.mode !== 'CONVERT') throw new TypeError('input');
    await api.engines.blobs.delete(requested.data.source.input.sha256);
    expect((await send('POST', pathOf(lost))).body).toMatchObject({ error: 'render_input_lost' });
  });

  it('needs the permission render:create beside jobs:read', async () => {
    const id = await finished();
    for (const permission of ['jobs:read', 'render:create'] as const) {
      const other = await api.createKey(accountId, { permissions: [permission] });
      expect((await api.request(other.secret, 'POST', pathOf(id))).body).toMatchObject({
        error: 'insufficient_permissions',
      });
    }
  });
});
