import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counters, gauges, histograms } from '#libs/telemetry/metric-definitions.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient, type JobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { parseExposition, type Sample } from '../support/telemetry/exposition.ts';
import { expressions } from '../support/telemetry/observability-files.ts';
import { parsePromql } from '../support/telemetry/promql.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${trace}-00f067aa0ba902b7-01`;

let receivers: WebhookReceivers | undefined;
let client: ApiClient;
let jobs: JobClient;
const at = serviceForTestFile(async () => ({
  ...(receivers = await openWebhookReceivers()).settings,
  LOG_LEVEL: 'debug',
}));
beforeAll(async () => {
  client = createClient(at.service.url, await createUnlimitedKey(at.installation));
  jobs = createJobClient(client);
});
afterAll(() => receivers?.close());

const readMetrics = async (): Promise<Sample[]> =>
  parseExposition(await (await fetch(`${at.service.url}/metrics`)).text());

/** The possible values of a label. Some appear only after an error. */
const possible = (metric: string, label: string): string[] =>
  Object.entries({ ...counters, ...gauges, ...histograms })
    .filter(([name]) => metric.startsWith(name.replaceAll('.', '_')))
    .flatMap(([, { labels }]) => Object.entries<readonly string[] | 'free'>(labels))
    .flatMap(([name, values]) => (values === 'free' || name.replaceAll('.', '_') !== label ? [] : values));

/** Labels that Prometheus adds, and `le` of histograms. */
const alwaysThere = new Set(['job', 'instance', 'le']);

describe('The metrics of dashboard and alerts', () => {
  let samples: Sample[];

  beforeAll(async () => {
    const receiver = await receivers!.openReceiver();
    await client.render('html', '<script>1</script><p>script</p>');
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    await waitUntil('the delivery is counted', async () =>
      (await readMetrics()).some(
        ({ metric, labels, value }) =>
          metric === 'colophon_webhook_deliveries_total' && labels['outcome'] === 'delivered' && value > 0,
      ),
    );
    samples = await readMetrics();
  });

  it('count a delivery once', () => {
    const deliveries = samples.filter(({ metric }) => metric === 'colophon_webhook_deliveries_total');
    expect(deliveries.map(({ labels, value }) => [labels['outcome'], value])).toEqual(
      expect.arrayContaining([['delivered', 1]]),
    );
  });

  it.each(expressions)('exist in a running service: $from', ({ expr }) => {
    const { selectors, groupingLabels } = parsePromql(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      const own = samples.filter((sample) => sample.metric === metric);
      expect(own.length, metric).toBeGreaterThan(0);
      const labels = new Set([...own.flatMap((sample) => Object.keys(sample.labels)), ...alwaysThere]);
      expect(
        [...groupingLabels, ...matchers.map(({ label }) => label)].filter((label) => !labels.has(label)),
        `labels of ${metric}`,
      ).toEqual([]);
      for (const { label, op, value } of matchers.filter(({ value: asked }) => !asked.startsWith('$'))) {
        const known = [...own.map((sample) => sample.labels[label] ?? ''), ...possible(metric, label)];
        for (const one of op.endsWith('~') ? value.split('|') : [value])
          expect(
            known.filter((text) => (op.endsWith('~') ? new RegExp(`^(?:${one})$`).test(text) : text === one)),
            `${metric} ${label}${op}"${one}"`,
          ).not.toEqual([]);
      }
    }
  });

  it('are all metrics of the service', () => {
    const looked = new Set(
      expressions.flatMap(({ expr }) =>
        parsePromql(expr).selectors.map(({ metric }) => metric.replace(/_(bucket|count|sum)$/, '')),
      ),
    );
    const measured = new Set(samples.map(({ metric }) => metric.replace(/_(bucket|count|sum)$/, '')));
    for (const known of ['target_info', 'process_open_file_descriptor']) measured.delete(known);
    expect([...measured].filter((metric) => !looked.has(metric) && metric.startsWith('colophon'))).toEqual([]);
  });

  it('have labels with few values: no account, no URL, no id', async () => {
    await client.request('GET', '/api/v1/jobs/job_01JR04W1P8C2N5H7K9M3Q6S8VX');
    await client.request('GET', '/nowhere/in/particular?token=x');
    const text = await (await fetch(`${at.service.url}/metrics`)).text();
    expect(text).toContain('http_route="/api/v1/jobs/:job_id"');
    for (const unbounded of [/01JR04W1P8/, /particular/, /acc_|render_01|job_01|tpl_/, /127\.0\.0\.1/])
      expect(text).not.toMatch(unbounded);
  });
});

const documents = async (): Promise<Record<string, number>> => {
  const samples = await readMetrics();
  return Object.fromEntries(
    samples
      .filter(({ metric }) => metric === 'colophon_browser_documents_printed')
      .map(({ labels, value }) => [labels['browser'], value]),
  );
};

it.each([
  ['static', 'without scripts', '<p>x'],
  [
    'scripted',
    'with scripts that name no address',
    '<meta charset="utf-8"><p id=p></p><script>p.textContent = [3, 1].map(function (x) { return x }).join()</script>',
  ],
  [
    'animated',
    'with scripts that wait for screen frames',
    '<p id=p></p><script>requestAnimationFrame(() => (p.textContent = 1))</script>',
  ],
  [
    'animated',
    'with scripts that may fetch',
    '<p id=p></p><script>fetch("https://127.0.0.1/").catch(() => (p.textContent = 1))</script>',
  ],
])('The browser "%s" prints a document %s', async (browser, _, html) => {
  const before = await documents();
  await client.render('html', html);
  expect(await documents()).toEqual({ ...before, [browser]: before[browser]! + 1 });
});

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
