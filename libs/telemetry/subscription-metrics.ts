import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { record, observeGauge } from './metrics.ts';

const secondsSince = ({ metadata }: RecordedEvent): number =>
  Math.max(0, Date.now() - Date.parse(metadata.occurredAt)) / 1000;

/**
 * The events after position `after`, as `subscribe` gives them. Records the delay of each batch and observes the lag of
 * the subscription.
 */
export async function* observeSubscription(
  subscription: 'relay' | 'projector',
  store: Pick<EventStore, 'subscribe' | 'readAll'>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent[]> {
  let position = after;
  const lag = async () => {
    const [next] = await store.readAll(position, 1);
    return [{ value: next ? secondsSince(next) : 0, labels: { subscription } }];
  };
  const stopWatching = observeGauge('colophon.subscription.lag', lag);
  try {
    for await (const batch of store.subscribe(after, signal)) {
      yield batch;
      // The subscriber asks for the next batch when it has handled this one.
      position = batch.at(-1)!.position;
      record('colophon.subscription.delay', secondsSince(batch[0]!), { subscription });
    }
  } finally {
    stopWatching();
  }
}
