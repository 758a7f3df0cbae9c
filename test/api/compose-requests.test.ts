import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ulid } from 'ulid';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { bareId, streams } from '#contracts/names.ts';
import { readComposition } from '#application/renders/load-inputs.ts';
import { htmlRequest, type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

type Body = Record<string, unknown>;

let api: InProcessApi;
let accountId: string;
let secret: string;
beforeAll(async () => void (api = await openInProcessApi('2026-05-20T12:00:30.000Z')));
beforeEach(async () => {
  accountId = await api.createAccount('enterprise', { requestsPerMinute: 100_000 });
  ({ secret } = await api.createKey(accountId));
});
afterAll(() => api.closeAndRemove());

const send = async (path: string, body?: unknown) => {
  const response = await api.request(secret, 'POST', path, body);
  return { ...response, body: response.body as Body };
};
const created = async (path: string, body: unknown): Promise<string> => {
  const response = await send(path, body);
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return String(response.body['id']);
};
const compose = (parts: Body[], options: Body = {}): Promise<string> =>
  created('/api/v1/render', { mode: 'COMPOSE', parts, ...options });
const part: Body = { mode: 'CONVERT', input_type: 'html', data: '<p>x' };
const partsOf = async (id: string) => {
  const [requested] = await api.eventLog.store.read(streams.render(bareId('render', id)!));
  const { source } = requested!.data as EventData['RenderRequested'];
  if (source.mode !== 'COMPOSE') throw new Error(source.mode);
  return (await readComposition(api.engines.blobs, source)).parts;
};

describe('A repeated render', () => {
  it('has the number of parts and attachments that the present plan allows', async () => {
    const attachments = Array.from({ length: 6 }, (_, index) => ({ name: `${index}.txt`, data: 'YQ==' }));
    const attached = await created('/api/v1/render', { ...htmlRequest, attachments });
    const many = await compose(Array.from({ length: 101 }, () => part));
    const few = await compose([part, part], { attachments: attachments.slice(0, 5) });
    const repeat = (id: string) => send(`/api/v1/renders/${id}/repeat`);
    expect((await repeat(many)).status).toBe(200);
    await api.updateAccount(accountId, {
      type: 'changePlan',
      plan: 'free',
      overrides: { requestsPerMinute: 100_000, requestsPerMonth: 100_000 },
      reason: null,
    } as never);
    expect((await repeat(attached)).body).toMatchObject({ error: 'invalid_request', field: 'attachments' });
    expect((await repeat(many)).body).toMatchObject({
      error: 'invalid_request',
      field: 'parts',
      message: "The recorded request has 101 parts; the account's plan now allows 100.",
    });
    expect((await repeat(few)).status).toBe(200);
  });
});

describe('A composed document', () => {
  it('has the page ranges of the whole for existing PDFs, too, unless they have their own', async () => {
    const pdf = { mode: 'PDF', data: 'JVBERi0=' };
    const parts = await partsOf(await compose([pdf, { ...pdf, page_ranges: '2' }, part], { page_ranges: '1' }));
    expect(parts.map(({ options }) => options.page_ranges)).toEqual(['1', '2', '1']);
  });

  it('records the default options of templates that it ignores, unless it names them itself', async () => {
    const id = await created('/api/v1/templates', {
      name: ulid(),
      content: '<p>{{x}}',
      default_options: {
        page_size: 'A5',
        watermark: { text: 'DRAFT' },
        metadata: { title: 'T' },
        conformance: 'pdf/a-3b',
        tagged: false,
        file_name: 'x.pdf',
      },
    });
    const template = { mode: 'RENDER', template_id: id, data: { x: 1 }, title: 'Part' };
    const parts = await partsOf(await compose([template, part], { metadata: { title: 'Whole' } }));
    expect(parts.map(({ ignoredOptions }) => ignoredOptions?.toSorted())).toEqual([
      ['conformance', 'watermark'],
      undefined,
    ]);
  });
});

describe('An Idempotency-Key', () => {
  it('keeps no plain hash of the body, which may have a weak password', async () => {
    const payload = JSON.stringify({ ...htmlRequest, encryption: { user_password: '1234' } });
    const post = (body = payload) =>
      api.app.inject({
        method: 'POST',
        url: '/api/v1/render/async',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        payload: body,
      });
    expect((await post()).statusCode).toBe(200);
    expect((await post()).headers['idempotency-replayed']).toBe('true');
    expect((await post(payload.replace('1234', '1235'))).json()).toMatchObject({ error: 'idempotency_conflict' });
    const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
    const stream = streams.idempotency(digest(`${bareId('acc', accountId) ?? accountId}\nlive\none`));
    const [claimed] = await api.eventLog.store.read(stream);
    const { bodyMac } = claimed!.data as EventData['IdempotencyKeyClaimed'];
    expect(bodyMac).toMatch(/^[\da-f]{64}$/);
    expect(bodyMac).not.toBe(digest(payload));
  });
});

describe('A render whose header Accept contradicts its output', () => {
  const post = async (accept: string, fields: Body = {}) => {
    const { statusCode, payload, headers } = await api.app.inject({
      method: 'POST',
      url: '/api/v1/render',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', accept },
      payload: JSON.stringify({ ...htmlRequest, ...fields }),
    });
    const isJson = String(headers['content-type']).startsWith('application/json');
    return [statusCode, isJson ? (JSON.parse(payload) as Body) : null] as const;
  };

  it.each([
    ['application/pdf', { output: 'jpeg' }, 'Send Accept: image/jpeg, application/zip, or output pdf'],
    ['image/png', { output: 'jpeg' }, 'or output png'],
    ['image/webp, image/*;q=0.5', {}, 'Send Accept: application/pdf, or output webp'],
    ['application/zip', {}, 'Send Accept: application/pdf; for a JSON'],
  ])('is refused: %s for %j', async (accept, fields, message) => {
    const [status, body] = await post(accept, fields);
    expect([status, body]).toEqual([400, expect.objectContaining({ error: 'invalid_request', field: 'Accept' })]);
    expect(body!['message']).toContain(message);
  });

  it.each([
    ['text/html', {}],
    ['application/pdf, application/json;q=0.1', { output: 'jpeg' }],
    ['image/png, */*;q=0.1', {}],
  ])('is accepted if other types are allowed: %s for %j', async (accept, fields) => {
    expect((await post(accept, fields))[0]).toBe(200);
  });
});
