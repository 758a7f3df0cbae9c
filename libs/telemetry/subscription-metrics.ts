import type { EventStore, RecordedEvent } from '#libs/event-store/port.ts';
import { record, observeGauge } from './metrics.ts';

const secondsSince = ({ metadata }: RecordedEvent): number =>
  Math.max(0, Date.now() - Date.parse(metadata.occurredAt)) / 1000;

/** The log from a position on, as `subscribe` gives it, with what is told of whoever follows it: how late they are, and how far behind. */
export async function* observeSubscription(
  follower: 'relay' | 'projector',
  store: Pick<EventStore, 'subscribe' | 'readAll'>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RecordedEvent[]> {
  let position = after;
  const lag = async () => {
    const [next] = await store.readAll(position, 1);
    return [{ value: next ? secondsSince(next) : 0, labels: { follower } }];
  };
  const stopWatching = observeGauge('colophon.follower.lag', lag);
  try {
    for await (const batch of store.subscribe(after, signal)) {
      yield batch;
      // Asked for the next batch, they have done with this one.
      position = batch.at(-1)!.position;
      record('colophon.follower.delay', secondsSince(batch[0]!), { follower });
    }
  } finally {
    stopWatching();
  }
}
