import type { ReceivedSpan } from './otlp.ts';

/** A span with those that it led to, in the order of their beginning. */
export type SpanNode = { name: string; kind: string; role: unknown; children: SpanNode[] };

/**
 * The spans of one trace as a tree; there has to be one root, which `parentId` is given as the parent of where the
 * caller began the trace.
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

/** The tree as indented lines, which is how a difference is best seen. */
export const formatSpanTree = (branches: readonly SpanNode[], depth = 0): string[] =>
  branches.flatMap(({ name, kind, role, children }) => [
    `${'  '.repeat(depth)}${name} (${kind}, ${String(role)})`,
    ...formatSpanTree(children, depth + 1),
  ]);
