import type { Bus, Consumer, LeasedMessage, Message } from '#libs/bus/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { isTracingEnabled, recordPastSpan, type Span, otelSystemNames, withSpan, traceIdOf } from './tracing.ts';

/**
 * What a message tells of the trace that it belongs to: what led to it, and when it was published, in milliseconds
 * since 1970.
 */
type MessageTrace = { traceparent: string; publishedAtMs: number };

const messageTraceOf = (data: unknown): MessageTrace | undefined => (data as { trace?: MessageTrace }).trace;

const withMessageTrace = (message: Message, parent: string | null): Message =>
  parent === null
    ? message
    : {
        ...message,
        data: {
          ...(message.data as object),
          trace: { traceparent: parent, publishedAtMs: Date.now() } satisfies MessageTrace,
        },
      };

const messagingAttributes = (destination: string): Record<string, string> => ({
  'messaging.system': otelSystemNames().bus,
  'messaging.destination.name': destination,
});

/**
 * Publishes a message in the trace that led to it, `led` being its W3C `traceparent`; who works on it goes on there.
 */
export const publishWithTrace = (bus: Bus, message: Message, led: string | null): Promise<void> => {
  if (!isTracingEnabled()) return bus.publish(withMessageTrace(message, led));
  const attributes = {
    ...messagingAttributes(message.subject),
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.message.id': message.id,
  };
  return withSpan({ name: `publish ${message.subject}`, kind: 'producer', parent: led, attributes }, (span) =>
    bus.publish(withMessageTrace(message, span.traceparent)),
  );
};

/** What a log line says of a message: its id, and its trace where it tells of one. */
export const messageLogFields = ({
  id,
  data,
}: Pick<LeasedMessage, 'id' | 'data'>): { message_id: string; trace_id?: string } => {
  const traceId = traceIdOf(messageTraceOf(data)?.traceparent ?? null);
  return { message_id: id, ...(traceId === null ? {} : { trace_id: traceId }) };
};

/** Works on a message in the trace that it tells of: the time it waited is a span, the work another. */
export const processWithTrace = (
  { subject, id, deliveryCount, data }: LeasedMessage,
  { name }: Pick<Consumer, 'name'>,
  work: (span: Span) => Promise<MessageResult>,
): Promise<MessageResult> => {
  const origin = messageTraceOf(data);
  const attributes = () => ({
    ...messagingAttributes(subject),
    'messaging.message.id': id,
    'messaging.consumer.group.name': name,
    'colophon.message.delivery_count': deliveryCount,
  });
  // Sent again, it has waited because it was told to, and that the attempt before says.
  if (isTracingEnabled() && origin && deliveryCount === 1)
    recordPastSpan(
      { name: `queue ${subject}`, parent: origin.traceparent, attributes: attributes() },
      origin.publishedAtMs,
      Date.now(),
    );
  const wish = isTracingEnabled()
    ? { attributes: { ...attributes(), 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' } }
    : {};
  return withSpan({ name: `process ${subject}`, kind: 'consumer', parent: origin?.traceparent, ...wish }, work);
};
