import { idOfStream, streams, subjects } from '#contracts/names.ts';
import type { Message } from '#libs/bus/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Scheduler, ScheduledTask } from './scheduler.ts';

/**
 * A task and its message for a worker. `traceparent` belongs to the event that caused the task; undefined when it must
 * be read from the streams of the render and its delivery. `republishWhenStalled` is true for tasks whose start and end
 * are in the event log. Other tasks are forgotten after a while.
 */
export type RelayTask = ScheduledTask & {
  message: Message;
  traceparent: string | null | undefined;
  republishWhenStalled: boolean;
};

export type Schedulers = { renders: Scheduler<RelayTask>; deliveries: Scheduler<RelayTask> };

/** The message id depends on the task alone, so that another publication of the task has the same id. */
export const renderTask = (id: string, account: string, urgent: boolean, traceparent?: string | null): RelayTask => {
  const stream = streams.render(id);
  return {
    key: stream,
    account,
    urgent,
    traceparent,
    republishWhenStalled: true,
    message: { id: stream, subject: subjects.renderRequested, data: { stream }, urgent },
  };
};

export const deliveryTask = (id: string, account: string, round: number, traceparent?: string | null): RelayTask => {
  const key = streams.delivery(id);
  const message: Message = { id: `${key}.${round}`, subject: subjects.deliveryDue, data: { id } };
  return { key, account, urgent: false, traceparent, republishWhenStalled: true, message };
};

/** Renders a finished document once more, for a caller that waits. */
const repeatedRenderTask = ({ id, stream, metadata }: RecordedEvent, kind: 'regenerate' | 'diagnose'): RelayTask => ({
  key: `${stream} ${kind}`,
  account: metadata.accountId ?? '',
  urgent: true,
  traceparent: metadata.traceparent,
  republishWhenStalled: false,
  message: { id, subject: subjects.renderRequested, data: { stream, [kind]: true }, urgent: true },
});

/**
 * Updates the open tasks with an event. `now` is the time on the schedulers' clock; null for an event from before the
 * relay started. Tasks that were started then are published again, because their worker and message may be gone.
 */
export const applyEvent = ({ renders, deliveries }: Schedulers, event: RecordedEvent, now: number | null): void => {
  const {
    stream,
    metadata: { accountId, traceparent },
  } = event;
  const account = accountId ?? '';
  const id = idOfStream(stream);
  switch (event.type) {
    case 'RenderRequested':
      return renders.add(renderTask(id, account, event.data.responseMode.kind === 'wait', traceparent));
    case 'RenderStarted':
      return now === null ? undefined : renders.start(stream, now);
    case 'RenderCompleted':
    case 'RenderFailed':
      renders.end(stream);
      return event.data.responseMode === 'webhook'
        ? deliveries.add(deliveryTask(id, account, 1, traceparent))
        : undefined;
    case 'PdfRegenerationRequested':
      return renders.add(repeatedRenderTask(event, 'regenerate'));
    case 'PdfRegenerationEnded':
      return renders.end(`${stream} regenerate`);
    case 'DiagnosisRequested':
      return renders.add(repeatedRenderTask(event, 'diagnose'));
    case 'RenderDiagnosed':
      return renders.end(`${stream} diagnose`);
    case 'WebhookAttemptStarted':
      // Reading the documents may have missed one that changed in the meantime.
      deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
      return now === null ? undefined : deliveries.start(stream, now);
    case 'WebhookAttempted':
      deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
      return now === null ? undefined : deliveries.pause(stream, now);
    case 'WebhookDelivered':
    case 'WebhookFailed':
      return deliveries.end(stream);
    case 'RedeliveryRequested':
      return deliveries.add(deliveryTask(id, account, event.data.round, traceparent));
    default:
  }
};
