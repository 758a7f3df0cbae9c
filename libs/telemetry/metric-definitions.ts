import { eventSchemas } from '#contracts/events/event-schemas.ts';
import { errors } from '#contracts/http/errors.ts';
import { inputTypes } from '#contracts/http/render.ts';
import { renderModes } from '#contracts/render-modes.ts';

/** The values of a label. `free`: the values are bounded elsewhere, such as the route patterns. */
type LabelValues = readonly string[] | 'free';
type MetricDefinition = { description: string; unit: string; labels: Readonly<Record<string, LabelValues>> };

const defineMetric = <const L extends Readonly<Record<string, LabelValues>>>(
  description: string,
  unit: string,
  labels: L,
): { description: string; unit: string; labels: L } => ({ description, unit, labels });

const renderModeLabels = [...renderModes, 'none'] as const;
const inputLabels = [...inputTypes, 'template', 'composition'] as const;
const browserLabels = renderModes;
const queueLabels = ['renderer', 'delivery'] as const;
const subscriptionLabels = ['relay', 'projector'] as const;
const eventTypes = Object.keys(eventSchemas);
const errorNames = Object.keys(errors) as (keyof typeof errors)[];

/**
 * Counters whose labels are all bounded start at 0 for every label set, so that the first event shows as an increase.
 */
export const counters = {
  'colophon.renders': defineMetric(
    'Ended renders by outcome. The render mode is none for renders that failed before they reached a browser.',
    '{render}',
    { render_mode: renderModeLabels, input: inputLabels, outcome: ['done', 'failed'] },
  ),
  'colophon.render.failures': defineMetric('Failed renders by error name.', '{render}', { error: errorNames }),
  'colophon.render.failed_attempts': defineMetric(
    'Render attempts that failed through no error of the document. They are retried, up to three attempts.',
    '{attempt}',
    {},
  ),
  'colophon.pages': defineMetric('Pages printed.', '{page}', {}),
  'colophon.pdf.size': defineMetric('Bytes of the PDFs.', 'By', {}),
  'colophon.api.errors': defineMetric(
    'Error responses of the API by error name. The limits give rate_limit_exceeded and quota_exceeded.',
    '{response}',
    { error: errorNames },
  ),
  'colophon.webhook.attempts': defineMetric('Webhook attempts by outcome.', '{attempt}', {
    outcome: ['delivered', 'rejected', 'timeout', 'blocked', 'failed'],
    attempt: ['1', '2', '3'],
  }),
  'colophon.webhook.deliveries': defineMetric('Ended webhook deliveries by outcome.', '{delivery}', {
    outcome: ['delivered', 'failed'],
  }),
  'colophon.events.appended': defineMetric('Events appended to the event log.', '{event}', { type: eventTypes }),
  'colophon.append.conflicts': defineMetric(
    'Appends that lost to a concurrent append. The command was decided again.',
    '{append}',
    {},
  ),
  'colophon.egress.blocked': defineMetric('Outgoing requests that the egress rules blocked.', '{request}', {
    client: ['browser', 'webhook'],
    reason: [
      'bad-target',
      'bad-request',
      'address-not-public',
      'port-not-allowed',
      'too-many-connections',
      'response-too-large',
    ],
  }),
} as const satisfies Record<string, MetricDefinition>;

/** Durations in seconds. */
export const histograms = {
  'http.server.request.duration': defineMetric('From the head of a request to the end of its response.', 's', {
    'http.request.method': 'free',
    'http.route': 'free',
    'http.response.status_code': 'free',
  }),
  'colophon.render.duration': defineMetric(
    'Duration of each phase of a render. Phase total: from acceptance to the PDF, or to the failure where the ' +
      'render mode is none.',
    's',
    { phase: ['queue', 'prepare', 'wait', 'load', 'print', 'finish', 'total'], render_mode: renderModeLabels },
  ),
  'colophon.webhook.attempt.duration': defineMetric('From the start of a webhook attempt to its outcome.', 's', {}),
  'colophon.append.duration': defineMetric('Time until appended events are durable.', 's', {}),
  'colophon.subscription.delay': defineMetric('From the time of an event until it is published or projected.', 's', {
    subscription: subscriptionLabels,
  }),
} as const satisfies Record<string, MetricDefinition>;

/** Values that are read when the metrics are collected. */
export const gauges = {
  'colophon.queue.length': defineMetric(
    'Renders and webhook deliveries that are waiting or in progress, from the read models.',
    '{message}',
    { queue: queueLabels },
  ),
  'colophon.queue.age': defineMetric('Waiting time of the oldest queued render; 0 if the queue is empty.', 's', {}),
  'colophon.subscription.lag': defineMetric(
    'Age of the oldest event that is not yet published or projected; 0 if there is none.',
    's',
    { subscription: subscriptionLabels },
  ),
  'colophon.browser.up': defineMetric('1 when the browser is running or was not needed yet, else 0.', '{browser}', {
    browser: browserLabels,
  }),
  'colophon.browser.documents.running': defineMetric('Documents that the browser is printing.', '{document}', {
    browser: browserLabels,
  }),
  'colophon.browser.documents.waiting': defineMetric('Documents that wait for the browser.', '{document}', {
    browser: browserLabels,
  }),
  'colophon.browser.memory': defineMetric('Memory of all processes of the browser.', 'By', {
    browser: browserLabels,
  }),
  'colophon.browser.starts': defineMetric(
    'Starts of the browser: the first start, restarts after a crash, and planned replacements.',
    '{start}',
    { browser: browserLabels },
  ),
  'colophon.browser.crashes': defineMetric(
    'Unexpected exits of the browser. Planned replacements, for memory or age, do not count.',
    '{crash}',
    { browser: browserLabels },
  ),
  'colophon.browser.documents.printed': defineMetric(
    'Documents that the current browser process has printed.',
    '{document}',
    {
      browser: browserLabels,
    },
  ),
  'colophon.conversion.running': defineMetric('Conversion processes that are working on a document.', '{process}', {}),
  'colophon.conversion.waiting': defineMetric('Documents that wait for a conversion process.', '{document}', {}),
  'colophon.conversion.processes': defineMetric('Conversion processes in total.', '{process}', {}),
  'colophon.office.processes': defineMetric('Processes of LibreOffice.', '{process}', {}),
  'colophon.office.documents.running': defineMetric('Documents that LibreOffice is laying out.', '{document}', {}),
  'colophon.office.documents.waiting': defineMetric('Documents that wait for LibreOffice.', '{document}', {}),
  'colophon.office.documents.printed': defineMetric('Documents that LibreOffice was given.', '{document}', {}),
  'colophon.office.memory': defineMetric('Memory of LibreOffice after its last documents.', 'By', {}),
  'colophon.office.starts': defineMetric('Starts of LibreOffice: the first, and after each end.', '{start}', {}),
  'colophon.office.crashes': defineMetric('Unexpected exits of LibreOffice. Timeouts do not count.', '{crash}', {}),
  'colophon.ready': defineMetric('1 when the process is ready, 0 when something is missing.', '{process}', {}),
  'colophon.build': defineMetric('Always 1; the label is the running release.', '{build}', { version: 'free' }),
  'process.cpu.time': defineMetric('CPU time of the process.', 's', { 'cpu.mode': ['user', 'system'] }),
  'process.memory.usage': defineMetric('Resident memory of the process.', 'By', {}),
  'process.uptime': defineMetric('Time since the process started.', 's', {}),
  'process.open_file_descriptor.count': defineMetric('Open files and sockets of the process.', '{file_descriptor}', {}),
  'v8js.memory.heap.used': defineMetric('JavaScript heap in use.', 'By', {}),
  'nodejs.eventloop.utilization': defineMetric(
    'Share of the last full 10 seconds in which the event loop was busy.',
    '1',
    {},
  ),
  'nodejs.eventloop.delay.p50': defineMetric('Median delay of the event loop in the last full 10 seconds.', 's', {}),
  'nodejs.eventloop.delay.p99': defineMetric(
    '99th percentile of the event loop delay in the last full 10 seconds.',
    's',
    {},
  ),
} as const satisfies Record<string, MetricDefinition>;

/** Gauges that only grow while the process runs; they are exported as counters. */
export const cumulativeGauges: ReadonlySet<string> = new Set<keyof typeof gauges>([
  'colophon.browser.starts',
  'colophon.browser.crashes',
  'colophon.office.documents.printed',
  'colophon.office.starts',
  'colophon.office.crashes',
  'process.cpu.time',
]);

type Label<V> = V extends readonly (infer T)[] ? T : string;
/** The labels of a metric, with the allowed values. */
export type LabelsOf<T extends { labels: Readonly<Record<string, LabelValues>> }> = {
  [K in keyof T['labels']]: Label<T['labels'][K]>;
};
