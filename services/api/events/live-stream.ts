import { Readable } from 'node:stream';
import type { FeedListener, LiveEvent } from './event-feed.ts';

/** How a stream ends, as its last message says. */
type EndReason = 'access_ended' | 'too_slow' | 'service_stopping';

/** A reader that is this far behind is too slow, in bytes. */
const maxPendingBytes = 256 * 1024;
/** How long the reader has to take the last message, in milliseconds. */
const maxEndMs = 10_000;
/** When the reader is to connect again, in milliseconds. */
const retryMs = 3_000;
const retryAfterSlownessMs = 15_000;

const messageOf = (lines: readonly string[]): string => `${lines.join('\n')}\n\n`;
const eventMessage = ({ position, type, subject }: LiveEvent): string =>
  messageOf([`id: ${position}`, `data: ${JSON.stringify({ type, subject })}`]);

/**
 * One live stream of events as text/event-stream (HTML Standard, section 9.2). Events that arrive before `begin` are
 * kept until the earlier ones are sent. `onEvents` gets all events as they come.
 */
export const createLiveStream = (accountId: string, onEvents: (events: readonly LiveEvent[]) => void) => {
  const body = new Readable({ read: () => undefined, highWaterMark: maxPendingBytes });
  let waiting: { events: LiveEvent[]; position: number } | null = { events: [], position: 0 };
  let sent = 0;
  let hasEnded = false;

  const push = (text: string): void => {
    if (!hasEnded && text !== '') body.push(text);
  };
  const end = (reason: EndReason): void => {
    if (hasEnded) return;
    const retry = reason === 'too_slow' ? retryAfterSlownessMs : retryMs;
    push(messageOf([`retry: ${retry}`, 'event: end', `data: ${JSON.stringify({ reason })}`]));
    hasEnded = true;
    body.push(null);
    setTimeout(() => body.destroy(), maxEndMs).unref();
  };
  const send = (events: readonly LiveEvent[], position: number): void => {
    push(
      events
        .filter((event) => event.position > sent)
        .map(eventMessage)
        .join(''),
    );
    sent = Math.max(sent, position);
    if (body.readableLength > maxPendingBytes) end('too_slow');
  };
  const listener: FeedListener = {
    accountId,
    receive: (events, position) => {
      onEvents(events);
      if (waiting === null) return send(events, position);
      waiting.events.push(...events);
      waiting.position = position;
    },
  };

  return {
    body,
    listener,
    end,
    /** Sends the position after which the events begin, then `missed` events, or that too many were missed. */
    begin: (position: number, missed: readonly LiveEvent[] | 'too many'): void => {
      const first = missed === 'too many' ? [`id: ${position}`, 'event: reset', 'data: {}'] : [`id: ${position}`];
      push(missed === 'too many' ? '' : missed.map(eventMessage).join(''));
      push(messageOf([`retry: ${retryMs}`, ...first]));
      sent = position;
      const { events, position: latest } = waiting ?? { events: [], position };
      waiting = null;
      send(events, latest);
    },
    /** Keeps the connection open, and tells the reader the latest position. */
    beat: (): void => push(messageOf([': heartbeat', `id: ${sent}`])),
  };
};

export type LiveStream = ReturnType<typeof createLiveStream>;
