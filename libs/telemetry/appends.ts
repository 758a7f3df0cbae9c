import { count, record } from './metrics.ts';
import { currentTraceparent, isTracing, systems, traced } from './tracing.ts';

type Append = {
  stream: string;
  types: readonly string[];
  /** W3C `traceparent` of what led to the events. */
  led: string | null;
};

const inSpan = <T>({ stream, types, led }: Append, work: (traceparent: string | null) => Promise<T>): Promise<T> => {
  if (!isTracing()) return work(led);
  const kind = stream.slice(0, stream.indexOf('-'));
  const attributes = { 'db.system.name': systems().store, 'db.operation.name': 'append', 'db.collection.name': kind, 'colophon.stream': stream, 'colophon.events': types.join(' ') };
  return traced({ name: `append ${kind}`, kind: 'client', attributes, parent: currentTraceparent() ? null : led }, (span) => work(span.traceparent));
};

/** An append to the log in its span, timed and counted. `work` is given the `traceparent` that its events carry on. */
export const observedAppend = async <T>(append: Append, work: (traceparent: string | null) => Promise<T>): Promise<T> => {
  const started = performance.now();
  const appended = await inSpan(append, work);
  record('colophon.append.duration', (performance.now() - started) / 1000, {});
  for (const type of append.types) count('colophon.events.appended', 1, { type });
  return appended;
};
