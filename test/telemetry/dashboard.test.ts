import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { counters, gauges, histograms } from '#libs/telemetry/metric-definitions.ts';
import { createUnlimitedKey } from '../support/service/accounts.ts';
import { type ApiClient, createClient } from '../support/client/api-client.ts';
import { createJobClient } from '../support/client/job-client.ts';
import { openWebhookReceivers, type WebhookReceivers } from '../support/webhooks/receivers.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';
import { waitUntil } from '../support/wait-until.ts';
import { parseExposition, type Sample } from '../support/telemetry/exposition.ts';
import { parsePromql } from '../support/telemetry/promql.ts';

const fileOf = (name: string): string =>
  readFileSync(new URL(`../../deploy/observability/${name}`, import.meta.url), 'utf8');

const datasource = z.object({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });
const place = z.object({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1).max(24), h: z.int().min(1) });
const target = z.object({ refId: z.string(), datasource, expr: z.string(), legendFormat: z.string() });
const panel = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('row'),
    id: z.int(),
    title: z.string().min(1),
    gridPos: place,
    panels: z.array(z.never()),
  }),
  z.object({
    type: z.enum(['timeseries', 'stat']),
    id: z.int(),
    title: z.string().min(1),
    gridPos: place,
    datasource,
    targets: z.array(target).min(1),
    fieldConfig: z.object({ defaults: z.object({ unit: z.string() }) }),
    options: z.object({}),
  }),
]);
const dashboardSchema = z.object({
  uid: z.string().max(40),
  title: z.string(),
  schemaVersion: z.int().min(36),
  panels: z.array(panel),
  time: z.object({ from: z.string(), to: z.string() }),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
});
const dashboard = dashboardSchema.parse(JSON.parse(fileOf('dashboard.json')));

const rule = z.strictObject({
  alert: z.string().regex(/^Colophon[A-Z]\w+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string() }),
});
const { rules } = z
  .strictObject({ groups: z.tuple([z.strictObject({ name: z.string(), rules: z.array(rule) })]) })
  .parse(parse(fileOf('alerts.yaml'))).groups[0];

const drawn = dashboard.panels.flatMap((one) =>
  one.type === 'row' ? [] : one.targets.map(({ expr, legendFormat }) => ({ from: one.title, expr, legendFormat })),
);
const expressions = [...drawn, ...rules.map(({ alert, expr }) => ({ from: alert, expr }))];
let receivers: WebhookReceivers | undefined;
afterAll(() => receivers?.close());

/** The possible values of a label. Some appear only after an error. */
const possible = (metric: string, label: string): string[] =>
  Object.entries({ ...counters, ...gauges, ...histograms })
    .filter(([name]) => metric.startsWith(name.replaceAll('.', '_')))
    .flatMap(([, { labels }]) => Object.entries<readonly string[] | 'free'>(labels))
    .flatMap(([name, values]) => (values === 'free' || name.replaceAll('.', '_') !== label ? [] : values));

/** Labels that Prometheus adds, and `le` of histograms. */
const alwaysThere = new Set(['job', 'instance', 'le']);

describe('The dashboard', () => {
  it('has panels on the grid, without overlaps, with unique ids', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('uses only labels of the results in its legends', () => {
    for (const { from, expr, legendFormat } of drawn) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
      const { groupingLabels } = parsePromql(expr);
      const left = groupingLabels.length > 0 ? groupingLabels : ['instance', 'browser'];
      expect(
        named.filter((name) => !left.includes(name)),
        `${from}: ${legendFormat}`,
      ).toEqual([]);
    }
  });

  it('defines every variable of its queries', () => {
    const names = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval']);
    const used = expressions.flatMap(({ expr }) => [...expr.matchAll(/\$(\w+)/g)].map(([, name]) => name!));
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

it('The alerts quote only log messages and panels that exist', () => {
  const sources = globSync('{application,libs,services}/**/*.ts', { exclude: ['**/*.test.ts'] });
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const titles = new Set(dashboard.panels.map(({ title }) => title));
  const quoted = rules.flatMap(({ annotations }) =>
    [...annotations.description.matchAll(/"(.+?)"/g)].map(([, one]) => one!),
  );
  expect(quoted.length).toBeGreaterThan(0);
  expect(
    quoted.filter((one) => !titles.has(one) && !code.includes(`'${one}',`) && !code.includes(`'${one}')`)),
  ).toEqual([]);
});

describe('The metrics of dashboard and alerts', () => {
  let client: ApiClient;
  let samples: Sample[];
  const at = serviceForTestFile(async () => (receivers = await openWebhookReceivers()).settings);
  const read = async (): Promise<Sample[]> => parseExposition(await (await fetch(`${at.service.url}/metrics`)).text());

  beforeAll(async () => {
    client = createClient(at.service.url, await createUnlimitedKey(at.installation));
    const receiver = await receivers!.openReceiver();
    await client.render('html', '<script>1</script><p>script</p>');
    const jobs = createJobClient(client);
    const { job_id } = await jobs.submit({ webhook_url: receiver.url });
    await jobs.waitUntilJob(job_id, 'is delivered', ({ webhook_status }) => webhook_status === 'delivered');
    await waitUntil('the delivery is counted', async () =>
      (await read()).some(
        ({ metric, labels, value }) =>
          metric === 'colophon_webhook_deliveries_total' && labels['outcome'] === 'delivered' && value === 1,
      ),
    );
    samples = await read();
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
