import { idOfStream, streams, subjects } from '#contracts/names.ts';
import type { Message } from '#libs/bus/port.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Scheduler, ScheduledTask } from './scheduler.ts';

/**
 * A task and the message that asks a worker for it. `traceparent` is of what led to it; undefined where the streams of render and delivery are to be asked.
 * `lasts` tells that the log says when it begins and ends; of others nobody knows, and they are forgotten after a while.
 */
export type RelayTask = ScheduledTask & {
  message: Message;
  traceparent: string | null | undefined;
  republishWhenStalled: boolean;
};

export type Schedulers = { renders: Scheduler<RelayTask>; deliveries: Scheduler<RelayTask> };

/** The identity of a message follows from the work alone: whoever publishes it again publishes the same message. */
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

/** A finished render that is made once more for a caller who waits. */
const repeatedRenderTask = ({ id, stream, metadata }: RecordedEvent, kind: 'regenerate' | 'diagnose'): RelayTask => ({
  key: `${stream} ${kind}`,
  account: metadata.accountId ?? '',
  urgent: true,
  traceparent: metadata.traceparent,
  republishWhenStalled: false,
  message: { id, subject: subjects.renderRequested, data: { stream, [kind]: true }, urgent: true },
});

/**
 * Folds an event into the open work. `now` is on the clock of the schedulers; null for an event from before the relay began, whose worker may be gone
 * with the message: what was begun then is published all the same.
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
      // A document that changed while documents were read may have been missed.
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
