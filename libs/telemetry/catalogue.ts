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
type Values = readonly string[] | 'free';
type Entry = { about: string; unit: string; labels: Readonly<Record<string, Values>> };

const of = <const L extends Readonly<Record<string, Values>>>(about: string, unit: string, labels: L): { about: string; unit: string; labels: L } => ({ about, unit, labels });

const lanes = ['quiet', 'script', 'none'] as const;
const inputs = [...inputTypes, 'template'] as const;
const browsers = renderModes;
const queues = ['renderer', 'delivery'] as const;
const followers = ['relay', 'projector'] as const;
const eventTypes = Object.keys({ ...accountEvents, ...apiKeyEvents, ...deliveryEvents, ...idempotencyEvents, ...installationEvents, ...renderEvents, ...templateEvents, ...templateNameEvents });
const errorNames = Object.keys(errors) as (keyof typeof errors)[];

/** What only ever grows. Those whose labels are all bounded begin at 0 with every value that they can have, so that the first time something happens is seen as a growth. */
export const counters = {
  'colophon.renders': of('Renders that have ended, by how; the lane is none where they failed before they came to a browser.', '{render}', { lane: lanes, input: inputs, outcome: ['done', 'failed'] }),
  'colophon.render.failures': of('Renders that have failed, by the name of the error.', '{render}', { error: errorNames }),
  'colophon.render.attempts.failed': of('Attempts to render that ended without a fault of the document, and are made again or given up.', '{attempt}', {}),
  'colophon.pages': of('Pages printed.', '{page}', {}),
  'colophon.pdf.size': of('Bytes of PDF made.', 'By', {}),
  'colophon.errors': of('Error answers of the API, by the name of the error; those of the limits are rate_limit_exceeded and quota_exceeded.', '{answer}', { error: errorNames }),
  'colophon.delivery.attempts': of('Attempts to call back, by what came of them.', '{attempt}', { outcome: ['delivered', 'rejected', 'timeout', 'refused', 'failed'], attempt: ['1', '2', '3'] }),
  'colophon.deliveries': of('Callbacks that have ended.', '{callback}', { outcome: ['delivered', 'failed'] }),
  'colophon.events.appended': of('Events appended to the log.', '{event}', { type: eventTypes }),
  'colophon.append.conflicts': of('Appends that met an event of somebody else, and were decided anew.', '{append}', {}),
  'colophon.egress.refusals': of('What the way out refused.', '{refusal}', { way: ['browser', 'callback'], reason: ['bad-target', 'bad-request', 'address-not-public', 'port-not-allowed', 'too-many-connections', 'response-too-large'] }),
} as const satisfies Record<string, Entry>;

/** What is spread out: durations, in seconds. */
export const histograms = {
  'http.server.request.duration': of('From the head of a request to the end of its answer.', 's', { 'http.request.method': 'free', 'http.route': 'free', 'http.response.status_code': 'free' }),
  'colophon.render.duration': of('How long the phases of a render take; total is from its acceptance to the PDF, or with the lane none to its failure.', 's', { phase: ['queue', 'prepare', 'wait', 'load', 'print', 'total'], lane: lanes }),
  'colophon.delivery.duration': of('From the beginning of an attempt to call back to its outcome.', 's', {}),
  'colophon.append.duration': of('How long the log takes to hold events durably.', 's', {}),
  'colophon.follower.delay': of('From the moment of an event to the one when it has been followed: published, or projected.', 's', { follower: followers }),
} as const satisfies Record<string, Entry>;

/** What is looked at when somebody asks. */
export const gauges = {
  'colophon.queue.length': of('Renders and webhook deliveries that wait or are under way, as the read models show them.', '{message}', { queue: queues }),
  'colophon.queue.age': of('How long the oldest render that waits has waited; 0 where none does.', 's', {}),
  'colophon.follower.lag': of('Age of the oldest event that has not been followed yet; 0 where all have been.', 's', { follower: followers }),
  'colophon.browser.up': of('Whether the browser is up.', '{browser}', { browser: browsers }),
  'colophon.browser.running': of('Documents that have a place in the browser.', '{document}', { browser: browsers }),
  'colophon.browser.waiting': of('Documents that wait for a place in the browser.', '{document}', { browser: browsers }),
  'colophon.browser.memory': of('Memory of the browser with all its processes.', 'By', { browser: browsers }),
  'colophon.browser.starts': of('How often the browser was started: the first time, after a crash, and in place of one that had served its time.', '{start}', { browser: browsers }),
  'colophon.browser.crashes': of('How often the browser has ended without having been told to; restarts that the service itself wanted, for memory or age, are not counted.', '{crash}', { browser: browsers }),
  'colophon.browser.documents': of('Documents that the present browser has printed.', '{document}', { browser: browsers }),
  'colophon.conversion.running': of('Processes that convert or expand a document now.', '{process}', {}),
  'colophon.conversion.waiting': of('Documents that wait for such a process.', '{document}', {}),
  'colophon.conversion.processes': of('Processes that there are to convert and expand.', '{process}', {}),
  'colophon.ready': of('1 when the process can do its work, 0 when something is missing.', '{process}', {}),
  'colophon.build': of('Always 1; its label says which release runs.', '{build}', { version: 'free' }),
  'process.cpu.time': of('Processor time of the process.', 's', { 'cpu.mode': ['user', 'system'] }),
  'process.memory.usage': of('Resident memory of the process.', 'By', {}),
  'process.uptime': of('How long the process has been up.', 's', {}),
  'process.open_file_descriptor.count': of('Files and sockets that the process has open.', '{file_descriptor}', {}),
  'v8js.memory.heap.used': of('JavaScript heap in use.', 'By', {}),
  'nodejs.eventloop.utilization': of('Share of the time that the event loop was busy, in the last full ten seconds.', '1', {}),
  'nodejs.eventloop.delay.p50': of('Half of the turns of the event loop were later than this, in the last full ten seconds.', 's', {}),
  'nodejs.eventloop.delay.p99': of('One turn of the event loop in a hundred was later than this, in the last full ten seconds.', 's', {}),
} as const satisfies Record<string, Entry>;

/** Gauges that only ever grow while the process lives; they are read like counters. */
export const growing: ReadonlySet<string> = new Set<keyof typeof gauges>(['colophon.browser.starts', 'colophon.browser.crashes', 'process.cpu.time']);

type Label<V> = V extends readonly (infer T)[] ? T : string;
/** The labels that a metric of the table takes. */
export type LabelsOf<T extends { labels: Readonly<Record<string, Values>> }> = { [K in keyof T['labels']]: Label<T['labels'][K]> };
