import type { Bus, Consumer, Delivery, Message } from '#libs/bus/port.ts';
import type { WorkEnd } from '#libs/bus/work.ts';
import { isTracing, pastSpan, type Span, systems, traced, traceIdOf } from './tracing.ts';

/** What a message tells of the trace that it belongs to: what led to it, and when it was published, in milliseconds since 1970. */
type Told = { parent: string; at: number };

const told = (data: unknown): Told | undefined => (data as { trace?: Told }).trace;

const telling = (message: Message, parent: string | null): Message =>
  parent === null ? message : { ...message, data: { ...(message.data as object), trace: { parent, at: Date.now() } satisfies Told } };

const named = (destination: string): Record<string, string> => ({ 'messaging.system': systems().bus, 'messaging.destination.name': destination });

/** Publishes a message in the trace that led to it, `led` being its W3C `traceparent`; who works on it goes on there. */
export const publishInTrace = (bus: Bus, message: Message, led: string | null): Promise<void> => {
  if (!isTracing()) return bus.publish(telling(message, led));
  const attributes = { ...named(message.subject), 'messaging.operation.name': 'publish', 'messaging.operation.type': 'send', 'messaging.message.id': message.id };
  return traced({ name: `publish ${message.subject}`, kind: 'producer', parent: led, attributes }, (span) => bus.publish(telling(message, span.traceparent)));
};

/** What a log line says of a message: its id, and its trace where it tells of one. */
export const idsOfMessage = ({ id, data }: Pick<Delivery, 'id' | 'data'>): { message: string; trace_id?: string } => {
  const traceId = traceIdOf(told(data)?.parent ?? null);
  return { message: id, ...(traceId === null ? {} : { trace_id: traceId }) };
};

/** Works on a message in the trace that it tells of: the time it waited is a span, the work another. */
export const workInTrace = ({ subject, id, attempt, data }: Delivery, { name }: Pick<Consumer, 'name'>, work: (span: Span) => Promise<WorkEnd>): Promise<WorkEnd> => {
  const origin = told(data);
  const attributes = () => ({ ...named(subject), 'messaging.message.id': id, 'messaging.consumer.group.name': name, 'colophon.message.attempt': attempt });
  // Sent again, it has waited because it was told to, and that the attempt before says.
  if (isTracing() && origin && attempt === 1) pastSpan({ name: `queue ${subject}`, parent: origin.parent, attributes: attributes() }, origin.at, Date.now());
  const wish = isTracing() ? { attributes: { ...attributes(), 'messaging.operation.name': 'process', 'messaging.operation.type': 'process' } } : {};
  return traced({ name: `process ${subject}`, kind: 'consumer', parent: origin?.parent, ...wish }, work);
};
