import type { EventData, EventOf } from '#contracts/events/event-schemas.ts';
import { isOfficeInputType } from '#contracts/http/office-types.ts';
import { idOfStream, streams, subjects } from '#contracts/names.ts';
import type { Message } from '#libs/bus/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Scheduler, ScheduledTask } from './scheduler.ts';

/**
 * A task and its message for a worker. `traceparent` belongs to the event that caused the task; undefined when it must
 * be read from the streams of the render and its delivery.
 */
export type RelayTask = ScheduledTask & {
  message: Message;
  traceparent: string | null | undefined;
};

/** Office documents have a scheduler of their own: they take longer, and must not block other documents. */
export type Schedulers = Record<'renders' | 'officeRenders' | 'deliveries', Scheduler<RelayTask>>;

/** The fields of a render that select its queue. */
type Source = { mode: string; inputType?: string };
export type RequestedRender = EventData['RenderRequested'];

/** The scheduler and the subject of renders of the source. */
const queueOf = ({ mode, inputType = '' }: Source, layout?: string) =>
  mode === 'CONVERT' && isOfficeInputType(inputType) && layout !== 'semantic'
    ? ({ scheduler: 'officeRenders', subject: subjects.officeRenderRequested } as const)
    : ({ scheduler: 'renders', subject: subjects.renderRequested } as const);

/** The message id depends on the task alone, so that another publication of the task has the same id. */
const renderTask = (
  id: string,
  account: string,
  urgent: boolean,
  subject: string,
  traceparent?: string | null,
): RelayTask => {
  const stream = streams.render(id);
  return {
    key: stream,
    account,
    urgent,
    traceparent,
    hasStartEvent: true,
    message: { id: stream, subject, data: { stream }, urgent },
  };
};

/** `layout` is the option docx_layout, if the request names it. */
export const addRender = (
  schedulers: Schedulers,
  render: { id: string; account: string; urgent: boolean; source: Source; layout?: string | undefined },
  traceparent?: string | null,
): void => {
  const { scheduler, subject } = queueOf(render.source, render.layout);
  schedulers[scheduler].add(renderTask(render.id, render.account, render.urgent, subject, traceparent));
};

/** The task of one round of a delivery. `id` is the bare id of its render. */
export const deliveryTask = (id: string, account: string, round: number, traceparent?: string | null): RelayTask => {
  const key = streams.delivery(id);
  const message: Message = { id: `${key}.${round}`, subject: subjects.deliveryDue, data: { id } };
  return { key, account, urgent: false, traceparent, hasStartEvent: true, message };
};

const renderAgainKinds = {
  PdfRegenerationRequested: 'regenerate',
  DiagnosisRequested: 'diagnose',
  VerificationRequested: 'verify',
} as const;
type RenderAgainType = keyof typeof renderAgainKinds;

/** Whether the event asks for a finished document to be rendered once more. */
export const isRenderAgainRequest = (event: RecordedEvent): boolean => Object.hasOwn(renderAgainKinds, event.type);

/** Renders a finished document once more, for a caller that waits. `request` is that of the document, if it is known. */
const addRenderAgain = (
  schedulers: Schedulers,
  { id, stream, metadata }: RecordedEvent,
  type: RenderAgainType,
  request: RequestedRender | undefined,
): void => {
  const kind = renderAgainKinds[type];
  const { scheduler, subject } = queueOf(request?.source ?? { mode: '' }, request?.options.docx_layout);
  schedulers[scheduler].add({
    key: `${stream} ${kind}`,
    account: metadata.accountId ?? '',
    urgent: true,
    traceparent: metadata.traceparent,
    hasStartEvent: false,
    message: { id, subject, data: { stream, [kind]: true }, urgent: true },
  });
};

/** The delay of the next webhook attempt in milliseconds. */
const delayMsOf = ({ data, metadata }: RecordedEvent<EventOf<'WebhookAttempted'>>): number =>
  data.nextAttemptAt === null ? 0 : Date.parse(data.nextAttemptAt) - Date.parse(metadata.occurredAt);

/**
 * Updates the open tasks with an event. `now` is the time on the schedulers' clock; null for an event from before the
 * relay started. Tasks that were started then are published again, because their worker and message may be gone.
 * `request` is that of a document that is rendered once more.
 */
export const applyEvent = (
  schedulers: Schedulers,
  event: RecordedEvent,
  now: number | null,
  request?: RequestedRender,
): void => {
  const { renders, officeRenders, deliveries } = schedulers;
  const endRender = (key: string): void => {
    renders.end(key);
    officeRenders.end(key);
  };
  const {
    stream,
    metadata: { accountId, traceparent },
  } = event;
  const account = accountId ?? '';
  const id = idOfStream(stream);
  switch (event.type) {
    case 'RenderRequested':
      return addRender(
        schedulers,
        {
          id,
          account,
          urgent: event.data.responseMode.kind === 'wait',
          source: event.data.source,
          layout: event.data.options.docx_layout,
        },
        traceparent,
      );
    case 'RenderStarted':
      if (now === null) return;
      renders.start(stream, now);
      return officeRenders.start(stream, now);
    case 'RenderCompleted':
    case 'RenderFailed':
      endRender(stream);
      return event.data.responseMode === 'webhook'
        ? deliveries.add(deliveryTask(id, account, 1, traceparent))
        : undefined;
    case 'PdfRegenerationRequested':
    case 'DiagnosisRequested':
    case 'VerificationRequested':
      return addRenderAgain(schedulers, event, event.type, request);
    case 'PdfRegenerationEnded':
      return endRender(`${stream} regenerate`);
    case 'RenderDiagnosed':
      return endRender(`${stream} diagnose`);
    case 'RenderVerified':
      return endRender(`${stream} verify`);
    case 'WebhookAttemptStarted':
      // Reading the documents may have missed one that changed in the meantime.
      deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
      return now === null ? undefined : deliveries.start(stream, now);
    case 'WebhookAttempted':
      deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
      return now === null ? undefined : deliveries.pause(stream, now + delayMsOf(event));
    case 'WebhookDelivered':
    case 'WebhookFailed':
      return deliveries.end(stream);
    case 'RedeliveryRequested':
      return deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
    default:
  }
};
