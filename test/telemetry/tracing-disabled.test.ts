import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { createJobClient, type JobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

let receivers: WebhookReceivers | undefined;
let jobs: JobClient;
const at = serviceForTestFile(async () => ({
  ...(receivers = await openWebhookReceivers()).settings,
  LOG_LEVEL: 'debug',
}));
beforeAll(async () => {
  jobs = createJobClient(createClient(at.service.url, await createUnlimitedKey(at.installation)));
});
afterAll(() => receivers?.close());

describe('A service without an OTLP endpoint', () => {
  it("passes the caller's trace to the webhook receiver", async () => {
    const receiver = await receivers!.openReceiver();
    const { body } = await jobs.postJson(
      '/api/v1/render',
      { mode: 'CONVERT', input_type: 'html', data: '<p>x', webhook_url: receiver.url },
      { traceparent },
    );
    const jobId = String(body.job_id);
    await jobs.waitUntilJob(jobId, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    expect(receiver.forJob(jobId).map(({ headers }) => headers['traceparent'])).toEqual([traceparent]);
    expect(new Set((await jobs.events(jobId)).map(({ trace_id }) => trace_id))).toEqual(new Set([trace]));
  });

  it("has the caller's trace id in errors, if the caller sent one", async () => {
    const wrong = { mode: 'CONVERT', input_type: 'html' };
    expect((await jobs.postJson('/api/v1/render', wrong, { traceparent })).body).toMatchObject({
      error: 'missing_data',
      trace_id: trace,
    });
    expect((await jobs.postJson('/api/v1/render', wrong)).body).not.toHaveProperty('trace_id');
    expect((await jobs.postJson('/api/v1/render', wrong, { traceparent: 'nonsense' })).body).not.toHaveProperty(
      'trace_id',
    );
  });

  it('logs one line of JSON per response at level debug, with the request id', async () => {
    const { body } = await jobs.postJson('/api/v1/render', {}, { traceparent });
    await expect.poll(() => at.service.output()).toContain(`"request_id":"${body.request_id}"`);
    const line = at.service
      .output()
      .split('\n')
      .find((one) => one.includes(body.request_id!))!;
    expect(JSON.parse(line)).toMatchObject({
      level: 'debug',
      request_id: body.request_id,
      trace_id: trace,
      method: 'POST',
      route: '/api/v1/render',
      status: 400,
      msg: 'request handled',
    });
  });

  it('logs and counts malformed HTTP requests, too', async () => {
    const counted = async (): Promise<number> =>
      Number(
        /^colophon_api_errors_total\{error="invalid_request"\} (\d+)/m.exec(
          await (await fetch(`${at.service.url}/metrics`)).text(),
        )![1],
      );
    const before = await counted();
    const { hostname, port } = new URL(at.service.url);
    const socket = connect(Number(port), hostname);
    socket.write('nonsense\r\n\r\n');
    const answer = await text(socket);
    const id = /X-Request-Id: (\S+)/.exec(answer)![1]!;
    await expect.poll(() => at.service.output()).toContain(`"request_id":"${id}"`);
    expect(await counted()).toBe(before + 1);
    const unreadable = await fetch(`${at.service.url}/%E0%A4%A`);
    await expect.poll(() => at.service.output()).toContain(`"request_id":"${unreadable.headers.get('x-request-id')}"`);
    expect(await counted()).toBe(before + 2);
  });
});
