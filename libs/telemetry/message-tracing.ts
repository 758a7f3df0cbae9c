import type { Bus, Consumer, LeasedMessage, Message } from '#libs/bus/port.ts';
import type { MessageResult } from '#libs/bus/consume-messages.ts';
import { traceIdOf } from './traceparent.ts';
import { isTracingEnabled, recordPastSpan, type Span, otelSystemNames, withSpan } from './tracing.ts';

/** The trace of a message: `traceparent` of its cause, and the time of its publication in milliseconds since 1970. */
type MessageTrace = { traceparent: string; publishedAtMs: number };

const messageTraceOf = (data: unknown): MessageTrace | undefined => (data as { trace?: MessageTrace }).trace;

const withMessageTrace = (message: Message, traceparent: string | null): Message =>
  traceparent === null
    ? message
    : {
        ...message,
        data: {
          ...(message.data as object),
          trace: { traceparent, publishedAtMs: Date.now() } satisfies MessageTrace,
        },
      };

const messagingAttributes = (destination: string): Record<string, string> => ({
  'messaging.system': otelSystemNames().bus,
  'messaging.destination.name': destination,
});

/** Publishes a message with its trace. `parent` is the W3C `traceparent` of its cause. */
export const publishWithTrace = (bus: Bus, message: Message, parent: string | null): Promise<void> => {
  if (!isTracingEnabled()) return bus.publish(withMessageTrace(message, parent));
  const attributes = {
    ...messagingAttributes(message.subject),
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.message.id': message.id,
  };
  return withSpan({ name: `publish ${message.subject}`, kind: 'producer', parent, attributes }, (span) =>
    bus.publish(withMessageTrace(message, span.traceparent)),
  );
};

/** The log fields of a message: its id, and its trace id if it has one. */
export const messageLogFields = ({
  id,
  data,
}: Pick<LeasedMessage, 'id' | 'data'>): { message_id: string; trace_id?: string } => {
  const traceId = traceIdOf(messageTraceOf(data)?.traceparent ?? null);
  return { message_id: id, ...(traceId === null ? {} : { trace_id: traceId }) };
};

/** Processes a message in its trace, with one span for its wait and one for the work. */
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
  // A redelivered message has waited on purpose.
  if (isTracingEnabled() && origin && deliveryCount === 1)
    recordPastSpan(
      { name: `queue ${subject}`, parent: origin.traceparent, attributes: attributes() },
      origin.publishedAtMs,
      Date.now(),
    );
  const options = isTracingEnabled()
    ? { attributes: { ...attributes(), 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' } }
    : {};
  return withSpan({ name: `process ${subject}`, kind: 'consumer', parent: origin?.traceparent, ...options }, work);
};
