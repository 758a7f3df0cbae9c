import { accountEvents, apiKeyEvents } from '#contracts/events/account.ts';
import { deliveryEvents } from '#contracts/events/delivery.ts';
import { idempotencyEvents } from '#contracts/events/idempotency.ts';
import { installationEvents } from '#contracts/events/installation.ts';
import { renderEvents } from '#contracts/events/render.ts';
import { templateEvents, templateNameEvents } from '#contracts/events/template.ts';
import { errors } from '#contracts/http/errors.ts';
import { inputTypes } from '#contracts/http/render.ts';
import { renderModes } from '#libs/chromium/browsers/flags.ts';

/** The values that a label can have; `free` is one whose values are bounded elsewhere, as the patterns of routes are. */
type LabelValues = readonly string[] | 'free';
type MetricDefinition = { description: string; unit: string; labels: Readonly<Record<string, LabelValues>> };

const defineMetric = <const L extends Readonly<Record<string, LabelValues>>>(
  about: string,
  unit: string,
  labels: L,
): { description: string; unit: string; labels: L } => ({ description: about, unit, labels });

const renderModeLabels = ['quiet', 'script', 'none'] as const;
const inputLabels = [...inputTypes, 'template'] as const;
const browserLabels = renderModes;
const queueLabels = ['renderer', 'delivery'] as const;
const subscriptionLabels = ['relay', 'projector'] as const;
const eventTypes = Object.keys({
  ...accountEvents,
  ...apiKeyEvents,
  ...deliveryEvents,
  ...idempotencyEvents,
  ...installationEvents,
  ...renderEvents,
  ...templateEvents,
  ...templateNameEvents,
});
const errorNames = Object.keys(errors) as (keyof typeof errors)[];

/** What only ever grows. Those whose labels are all bounded begin at 0 with every value that they can have, so that the first time something happens is seen as a growth. */
export const counters = {
  'colophon.renders': defineMetric(
    'Renders that have ended, by how; the lane is none where they failed before they came to a browser.',
    '{render}',
    { lane: renderModeLabels, input: inputLabels, outcome: ['done', 'failed'] },
  ),
  'colophon.render.failures': defineMetric('Renders that have failed, by the name of the error.', '{render}', {
    error: errorNames,
  }),
  'colophon.render.attempts.failed': defineMetric(
    'Attempts to render that ended without a fault of the document, and are made again or given up.',
    '{attempt}',
    {},
  ),
  'colophon.pages': defineMetric('Pages printed.', '{page}', {}),
  'colophon.pdf.size': defineMetric('Bytes of PDF made.', 'By', {}),
  'colophon.errors': defineMetric(
    'Error answers of the API, by the name of the error; those of the limits are rate_limit_exceeded and quota_exceeded.',
    '{answer}',
    { error: errorNames },
  ),
  'colophon.delivery.attempts': defineMetric('Attempts to call back, by what came of them.', '{attempt}', {
    outcome: ['delivered', 'rejected', 'timeout', 'refused', 'failed'],
    attempt: ['1', '2', '3'],
  }),
  'colophon.deliveries': defineMetric('Callbacks that have ended.', '{callback}', { outcome: ['delivered', 'failed'] }),
  'colophon.events.appended': defineMetric('Events appended to the log.', '{event}', { type: eventTypes }),
  'colophon.append.conflicts': defineMetric(
    'Appends that met an event of somebody else, and were decided anew.',
    '{append}',
    {},
  ),
  'colophon.egress.refusals': defineMetric('What the way out refused.', '{refusal}', {
    way: ['browser', 'callback'],
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

/** What is spread out: durations, in seconds. */
export const histograms = {
  'http.server.request.duration': defineMetric('From the head of a request to the end of its answer.', 's', {
    'http.request.method': 'free',
    'http.route': 'free',
    'http.response.status_code': 'free',
  }),
  'colophon.render.duration': defineMetric(
    'How long the phases of a render take; total is from its acceptance to the PDF, or with the lane none to its failure.',
    's',
    { phase: ['queue', 'prepare', 'wait', 'load', 'print', 'total'], lane: renderModeLabels },
  ),
  'colophon.delivery.duration': defineMetric('From the beginning of an attempt to call back to its outcome.', 's', {}),
  'colophon.append.duration': defineMetric('How long the log takes to hold events durably.', 's', {}),
  'colophon.follower.delay': defineMetric(
    'From the moment of an event to the one when it has been followed: published, or projected.',
    's',
    { follower: subscriptionLabels },
  ),
} as const satisfies Record<string, MetricDefinition>;

/** What is looked at when somebody asks. */
export const gauges = {
  'colophon.queue.length': defineMetric(
    'Renders and webhook deliveries that wait or are under way, as the read models show them.',
    '{message}',
    { queue: queueLabels },
  ),
  'colophon.queue.age': defineMetric('How long the oldest render that waits has waited; 0 where none does.', 's', {}),
  'colophon.follower.lag': defineMetric(
    'Age of the oldest event that has not been followed yet; 0 where all have been.',
    's',
    { follower: subscriptionLabels },
  ),
  'colophon.browser.up': defineMetric('Whether the browser is up.', '{browser}', { browser: browserLabels }),
  'colophon.browser.running': defineMetric('Documents that have a place in the browser.', '{document}', {
    browser: browserLabels,
  }),
  'colophon.browser.waiting': defineMetric('Documents that wait for a place in the browser.', '{document}', {
    browser: browserLabels,
  }),
  'colophon.browser.memory': defineMetric('Memory of the browser with all its processes.', 'By', {
    browser: browserLabels,
  }),
  'colophon.browser.starts': defineMetric(
    'How often the browser was started: the first time, after a crash, and in place of one that had served its time.',
    '{start}',
    { browser: browserLabels },
  ),
  'colophon.browser.crashes': defineMetric(
    'How often the browser has ended without having been told to; restarts that the service itself wanted, for memory or age, are not counted.',
    '{crash}',
    { browser: browserLabels },
  ),
  'colophon.browser.documents': defineMetric('Documents that the present browser has printed.', '{document}', {
    browser: browserLabels,
  }),
  'colophon.conversion.running': defineMetric('Processes that convert or expand a document now.', '{process}', {}),
  'colophon.conversion.waiting': defineMetric('Documents that wait for such a process.', '{document}', {}),
  'colophon.conversion.processes': defineMetric('Processes that there are to convert and expand.', '{process}', {}),
  'colophon.ready': defineMetric('1 when the process can do its work, 0 when something is missing.', '{process}', {}),
  'colophon.build': defineMetric('Always 1; its label says which release runs.', '{build}', { version: 'free' }),
  'process.cpu.time': defineMetric('Processor time of the process.', 's', { 'cpu.mode': ['user', 'system'] }),
  'process.memory.usage': defineMetric('Resident memory of the process.', 'By', {}),
  'process.uptime': defineMetric('How long the process has been up.', 's', {}),
  'process.open_file_descriptor.count': defineMetric(
    'Files and sockets that the process has open.',
    '{file_descriptor}',
    {},
  ),
  'v8js.memory.heap.used': defineMetric('JavaScript heap in use.', 'By', {}),
  'nodejs.eventloop.utilization': defineMetric(
    'Share of the time that the event loop was busy, in the last full ten seconds.',
    '1',
    {},
  ),
  'nodejs.eventloop.delay.p50': defineMetric(
    'Half of the turns of the event loop were later than this, in the last full ten seconds.',
    's',
    {},
  ),
  'nodejs.eventloop.delay.p99': defineMetric(
    'One turn of the event loop in a hundred was later than this, in the last full ten seconds.',
    's',
    {},
  ),
} as const satisfies Record<string, MetricDefinition>;

/** Gauges that only ever grow while the process lives; they are read like counters. */
export const cumulativeGauges: ReadonlySet<string> = new Set<keyof typeof gauges>([
  'colophon.browser.starts',
  'colophon.browser.crashes',
  'process.cpu.time',
]);

type Label<V> = V extends readonly (infer T)[] ? T : string;
/** The labels that a metric of the table takes. */
export type LabelsOf<T extends { labels: Readonly<Record<string, LabelValues>> }> = {
  [K in keyof T['labels']]: Label<T['labels'][K]>;
};
