import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const fileOf = (name: string): string =>
  readFileSync(new URL(`../../../deploy/observability/${name}`, import.meta.url), 'utf8');

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
/** The dashboard for Grafana. */
export const dashboard = dashboardSchema.parse(JSON.parse(fileOf('dashboard.json')));

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
/** The alerts. */
export const { rules } = z
  .strictObject({ groups: z.tuple([z.strictObject({ name: z.string(), rules: z.array(rule) })]) })
  .parse(parse(fileOf('alerts.yaml'))).groups[0];

/** The queries of the panels. */
export const drawn = dashboard.panels.flatMap((one) =>
  one.type === 'row' ? [] : one.targets.map(({ expr, legendFormat }) => ({ from: one.title, expr, legendFormat })),
);
/** The queries of panels and alerts. */
export const expressions = [...drawn, ...rules.map(({ alert, expr }) => ({ from: alert, expr }))];
