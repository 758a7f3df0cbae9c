import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareId } from '#contracts/names.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { type RunningService, type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { waitUntil } from '../support/wait-until.ts';
import { areServersAvailable, openServersEnvironment } from '../support/environment.ts';
import { type OtlpCollector, openOtlpCollector } from '../support/telemetry/otlp-collector.ts';
import type { ReceivedSpan } from '../support/telemetry/otlp.ts';
import { formatSpanTree, spanTreeOf } from '../support/telemetry/span-tree.ts';

let collector: OtlpCollector;
let receivers: WebhookReceivers;
let installation: TestInstallation;
let key: string;
let api: RunningService;
let relay: RunningService;
let delivery: RunningService;
beforeAll(async () => {
  if (!areServersAvailable) return;
  [collector, receivers] = await Promise.all([openOtlpCollector(), openWebhookReceivers()]);
  installation = await openTestInstallation(
    {
      ...receivers.settings,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      LOG_LEVEL: 'debug',
      METRICS_TOKEN: metricsToken,
    },
    await openServersEnvironment(),
  );
  key = await createUnlimitedKey(installation);
  // Each role with spans in a process of its own.
  const roles = [['api'], ['relay'], ['delivery'], ['renderer'], ['projector', 'sweeper']];
  const started = await Promise.all(roles.map((names) => installation.start(...names)));
  [api, relay, delivery] = started as [RunningService, RunningService, RunningService];
});
afterAll(async () => {
  if (!areServersAvailable) return;
  await installation.remove();
  await Promise.all([receivers.close(), collector.close()]);
});

const metricsToken = 'a-token-for-prometheus-0123456789';
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';

const expectedTree = `
POST /api/v1/render (server, api)
  blob put (client, api)
  append render (client, api)
    publish render.requested (producer, relay)
      queue render.requested (internal, renderer)
      process render.requested (consumer, renderer)
        append render (client, renderer)
        convert html (internal, renderer)
        browser (internal, renderer)
          browser wait (internal, renderer)
          browser load (internal, renderer)
          browser print (internal, renderer)
        blob put (client, renderer)
        append render (client, renderer)
          publish delivery.due (producer, relay)
            queue delivery.due (internal, delivery)
            process delivery.due (consumer, delivery)
              blob put (client, delivery)
              append delivery (client, delivery)
              append delivery (client, delivery)
              webhook POST (client, delivery)
              append delivery (client, delivery)
            process delivery.due (consumer, delivery)
              append delivery (client, delivery)
              webhook POST (client, delivery)
              append delivery (client, delivery)`;

/** On a busy machine another relay may become leader and publish again. The bus drops that, so no consumer gets it. */
const withoutRepeats = (spans: readonly ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter(({ id, kind }) => kind !== 'producer' || spans.some(({ parentId }) => parentId === id));

const spansToRequest = (spans: readonly ReceivedSpan[]) => ({
  request_id: spans.find(({ kind }) => kind === 'server')!.attributes['colophon.request.id'],
});

it.skipIf(!areServersAvailable)(
  'A render of a service in five processes, one of which restarts, is one trace to both webhook attempts',
  async () => {
    const receiver = await receivers.openReceiver((_, nth) => (nth === 0 ? 500 : 200));
    const jobs = createJobClient(createClient(api.url, key));
    const { body } = await jobs.postJson(
      '/api/v1/render',
      {
        mode: 'CONVERT',
        input_type: 'html',
        data: '<p>unmentionable words</p>',
        webhook_url: `${receiver.url}/with/a/secret`,
      },
      { traceparent: `00-${callersTrace}-${callersSpan}-01` },
    );
    const jobId = String(body.job_id);
    await jobs.waitUntilJob(jobId, 'has been called back about once', ({ webhook_attempts }) => webhook_attempts === 1);
    expect((await delivery.stop('SIGTERM')).code).toBe(0);
    await installation.start('delivery');
    await jobs.waitUntilJob(jobId, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');

    const spansOf = (): ReceivedSpan[] =>
      withoutRepeats(collector.spans.filter(({ traceId }) => traceId === callersTrace));
    const tree = (): string[] => formatSpanTree(spanTreeOf(spansOf(), callersSpan));
    await expect.poll(tree).toEqual(expectedTree.trim().split('\n'));
    const spans = spansOf();

    const attempts = spans.filter(({ name }) => name === 'webhook POST').toSorted((a, b) => a.startMs - b.startMs);
    expect(receiver.forJob(jobId).map(({ headers }) => headers['traceparent'])).toEqual(
      attempts.map(({ id }) => `00-${callersTrace}-${id}-01`),
    );
    expect(
      attempts.map(({ attributes }) => [
        attributes['colophon.attempt'],
        attributes['http.response.status_code'],
        attributes['http.request.resend_count'],
      ]),
    ).toEqual([
      [1, 500, undefined],
      [2, 200, 1],
    ]);

    expect(attempts.map(({ failed, attributes }) => [failed, attributes['error.type']])).toEqual([
      [true, '500'],
      [false, undefined],
    ]);
    expect(spans.filter(({ failed }) => failed)).toHaveLength(1);
    expect(
      spans.filter(({ name }) => name === 'blob put').map(({ attributes }) => attributes['db.system.name']),
    ).toEqual(['mongodb', 'mongodb', 'mongodb']);

    const work = spans.find(({ name }) => name === 'process render.requested')!;
    expect(work.attributes).toMatchObject({
      'colophon.render.id': `render_${bareId('job', jobId)}`,
      'colophon.attempt': 1,
      'colophon.render.mode': 'static',
      'colophon.pages': 1,
      'messaging.system': 'nats',
      'messaging.operation.type': 'process',
    });
    expect(spans.find(({ name }) => name.startsWith('POST'))!.attributes).toMatchObject({
      'http.route': '/api/v1/render',
      'http.response.status_code': 200,
      'colophon.account.id': work.attributes['colophon.account.id'],
    });

    const ownersOf = ({ attributes }: ReceivedSpan) => [
      attributes['colophon.render.id'],
      attributes['colophon.account.id'],
      attributes['colophon.attempt'],
    ];
    const [renderId, accountId] = ownersOf(work);
    expect(
      spans
        .filter(({ name }) => name === 'process delivery.due')
        .toSorted((a, b) => a.startMs - b.startMs)
        .map(ownersOf),
    ).toEqual([
      [renderId, accountId, 1],
      [renderId, accountId, 2],
    ]);

    const exported = JSON.stringify(spans);
    for (const secret of ['unmentionable', key, '/with/a/secret']) expect(exported).not.toContain(secret);
    expect(new Set((await jobs.events(jobId)).map(({ trace_id }) => trace_id))).toEqual(new Set([callersTrace]));
    const { request_id } = spansToRequest(spans);
    const lines = api
      .output()
      .split('\n')
      .filter((line) => line.includes('"request handled"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find((line) => line['request_id'] === request_id)).toMatchObject({
      level: 'debug',
      trace_id: callersTrace,
      route: '/api/v1/render',
      status: 200,
    });
    await waitUntil(
      'metrics have arrived',
      () => collector.metricNames.has('colophon.renders') && collector.metricNames.has('http.server.request.duration'),
    );
  },
);

it.skipIf(!areServersAvailable)('The metrics of a process without the API need their token', async () => {
  const metricsOf = (token: string | null) => createClient(relay.url, token).request('GET', '/metrics');
  expectErrorResponse(await metricsOf(null), 'invalid_metrics_token');
  expect((await metricsOf(metricsToken)).text).toContain('# TYPE');
});
