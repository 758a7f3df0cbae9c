import { consumers, idOfStream, subjects } from '#contracts/names.ts';
import type { Bus, Message } from '#libs/bus/port.ts';
import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { followerCheckpoint, moveFollower } from '#libs/read-store/followers.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { followed } from '#libs/telemetry/followers.ts';
import { publishInTrace } from '#libs/telemetry/messages.ts';

const toDelivery = ({ id, stream, metadata }: RecordedEvent): Message => ({ id, subject: subjects.deliveryDue, data: { id: idOfStream(stream) }, group: metadata.accountId ?? '' });

/** The work that an event asks of somebody; null where nobody needs to act. */
export const messageOf = (event: RecordedEvent): Message | null => {
  switch (event.type) {
    case 'RenderRequested':
      return { id: event.id, subject: subjects.renderRequested, data: { stream: event.stream }, urgent: event.data.reply.kind === 'wait', group: event.data.accountId };
    case 'PdfRequestedAgain':
      return { id: event.id, subject: subjects.renderRequested, data: { stream: event.stream, again: true }, urgent: true, group: event.metadata.accountId ?? '' };
    case 'DiagnosisRequested':
      return { id: event.id, subject: subjects.renderRequested, data: { stream: event.stream, diagnose: true }, urgent: true, group: event.metadata.accountId ?? '' };
    case 'RenderCompleted':
    case 'RenderFailed':
      return event.data.reply === 'webhook' ? toDelivery(event) : null;
    case 'RedeliveryRequested':
      return toDelivery(event);
    default:
      return null;
  }
};

/**
 * The checkpoint may lag behind by so many events; it moves with the work that is given out, though not more often than so: to give a message again is harmless, and to note each batch costs more than that.
 * Positions tell nothing of how many: there are logs that count bytes.
 */
const notedEvery = { events: 1_000, ms: 250 };

/** Carries events from the log to the bus, until `signal` aborts. The checkpoint follows only when the bus has confirmed. `clock` tells milliseconds. */
export const runRelay = async (store: EventStore, bus: Bus, reads: ReadStore, signal: AbortSignal, clock = (): number => performance.now()): Promise<void> => {
  const checkpoint = await followerCheckpoint(reads, consumers.relay);
  let notedAt = -Infinity;
  let unnoted = 0;
  for await (const batch of followed('relay', store, checkpoint, signal)) {
    const messages = batch.flatMap((event) => {
      const message = messageOf(event);
      return message ? [{ message, traceparent: event.metadata.traceparent }] : [];
    });
    await Promise.all(messages.map(({ message, traceparent }) => publishInTrace(bus, message, traceparent)));
    const end = batch.at(-1)!.position;
    unnoted += batch.length;
    const isDue = messages.length > 0 && clock() - notedAt >= notedEvery.ms;
    if (!isDue && unnoted < notedEvery.events) continue;
    await moveFollower(reads, consumers.relay, end);
    notedAt = clock();
    unnoted = 0;
  }
};
