import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, streams } from '#contracts/names.ts';
import { BrowserGone } from '#libs/chromium/cdp/errors.ts';
import { render } from '#libs/domain/render.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { type InProcessApi, htmlRequest, openInProcessApi } from '../support/api/in-process-api.ts';
import { stubPrint, renderJob } from '../support/api/stub-renderer.ts';

let api: InProcessApi;
let secret: string;
beforeAll(async () => {
  api = await openInProcessApi('2026-05-20T12:00:30.000Z');
  secret = (await api.createKey(await api.createAccount('pro'))).secret;
});
afterAll(() => api.closeAndRemove());

const submit = async (): Promise<string> =>
  String((await api.request(secret, 'POST', '/api/v1/render/async', htmlRequest)).body.job_id);
const jobNow = async (id: string) => {
  await api.catchUpReadModels();
  return (await api.request(secret, 'GET', `/api/v1/jobs/${id}`)).body as unknown as Record<string, unknown>;
};
const usedNow = async (): Promise<unknown> =>
  ((await api.request(secret, 'GET', '/api/v1/usage')).body as unknown as { quota: { used: number } }).quota.used;

describe('The job of a failed render', () => {
  it('has all fields of an error without details, as the callback has', async () => {
    const id = await submit();
    const extra = { missing_variable: 'name', missing_variables: ['name', 'items[2].price'], line: 3 };
    await renderJob(api, id, () => {
      throw ApiError.of('template_render_error', 'The data has no value for "name".', extra);
    });
    expect(await jobNow(id)).toMatchObject({ status: 'FAILED', error: 'template_render_error', details: extra });
  });
});

describe('A composed document that fails', () => {
  const parts = [htmlRequest, htmlRequest, htmlRequest];
  const submitComposed = async (): Promise<string> =>
    String((await api.request(secret, 'POST', '/api/v1/render/async', { mode: 'COMPOSE', parts })).body.job_id);

  it('is refunded with all its parts if the service is at fault, and only then', async () => {
    const before = Number(await usedNow());
    const id = await submitComposed();
    expect(await usedNow()).toBe(before + 3);
    await renderJob(api, id, () => {
      throw ApiError.of('service_unavailable', 'No browser was free.', { retry_after: 5 });
    });
    expect(await jobNow(id)).toMatchObject({ status: 'FAILED', error: 'service_unavailable' });
    expect(await usedNow()).toBe(before);
    const other = await submitComposed();
    await renderJob(api, other, () => {
      throw ApiError.of('conversion_failed', 'It cannot be converted.', {});
    });
    expect(await jobNow(other)).toMatchObject({ status: 'FAILED', error: 'conversion_failed' });
    expect(await usedNow()).toBe(before + 3);
  });
});

describe('Long texts from a document', () => {
  it('are shortened in the event of a failed render', async () => {
    const id = await submit();
    const url = `https://example.com/${'x'.repeat(200_000)}.png`;
    await renderJob(api, id, () => {
      throw ApiError.of('image_load_failed', `The image ${url} could not be loaded: no`, {
        image_url: url,
        reason: 'no',
      });
    });
    const { status, error, message } = await jobNow(id);
    expect([status, error]).toEqual(['FAILED', 'image_load_failed']);
    expect(message).toMatch(/^The image https:\/\/example\.com\/x+…$/);
    expect(String(message).length).toBeLessThan(2_000);
  });

  it('are shortened in the warnings of a completed render', async () => {
    const id = await submit();
    const warnings = Array.from({ length: 2_000 }, (_, index) => ({
      kind: 'resource_failed' as const,
      url: `https://example.com/${index}/${'x'.repeat(3_000)}`,
      reason: 'y'.repeat(600),
    }));
    const stream = await renderJob(api, id, async (request) => ({ ...(await stubPrint(request)), warnings }));
    const job = await jobNow(id);
    const recorded = ((await api.engines.store.read(stream)).at(-1)!.data as { warnings: { url: string }[] }).warnings;
    expect(recorded.length).toBe(50);
    expect(recorded[0]!.url).toMatch(/^https:\/\/example\.com\/0\/x+…$/);
    expect(job).toMatchObject({
      status: 'DONE',
      warnings: recorded.map(({ url }) => ({ type: 'resource_failed', url })),
    });
  });
});

describe('A render whose attempts all fail', () => {
  it('is an error of the service and does not count if its workers disappeared', async () => {
    const before = await usedNow();
    const id = await submit();
    expect(await usedNow()).not.toBe(before);
    const { aggregate } = await loadAggregate(api.eventLog, render, streams.render(bareId('job', id)!));
    const cause = {
      actor: { kind: 'service', name: 'gone' } as const,
      accountId: null,
      correlationId: '',
      causationId: null,
      traceparent: null,
    };
    for (const attempt of [1, 2, 3])
      await aggregate.execute({ type: 'claim', attempt, worker: 'gone', queueMs: 0 }, cause);
    await renderJob(api, id);
    expect(await jobNow(id)).toMatchObject({ status: 'FAILED', error: 'internal_error' });
    expect(await usedNow()).toBe(before);
  });

  it('is an error of the document if it crashed the browser each time', async () => {
    const id = await submit();
    await renderJob(api, id, () => Promise.reject(new BrowserGone('gone')));
    expect(await jobNow(id)).toMatchObject({
      status: 'FAILED',
      error: 'conversion_failed',
      message: expect.stringContaining('3 attempts'),
    });
  });
});
