import type { ReceivedSpan } from './otlp.ts';

/** A span with its children, in the order of their start. */
export type SpanNode = { name: string; kind: string; role: unknown; children: SpanNode[] };

/**
 * The spans of one trace as a tree with exactly one root. `parentId` is the parent of the root if the caller started
 * the trace.
 */
export const spanTreeOf = (spans: readonly ReceivedSpan[], parentId: string | null = null): SpanNode[] =>
  spans
    .filter((span) => span.parentId === parentId)
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ name, kind, resource, id }) => ({
      name,
      kind,
      role: resource['colophon.roles'],
      children: spanTreeOf(spans, id),
    }));

/** The tree as indented lines, for readable differences. */
export const formatSpanTree = (branches: readonly SpanNode[], depth = 0): string[] =>
  branches.flatMap(({ name, kind, role, children }) => [
    `${'  '.repeat(depth)}${name} (${kind}, ${String(role)})`,
    ...formatSpanTree(children, depth + 1),
  ]);
