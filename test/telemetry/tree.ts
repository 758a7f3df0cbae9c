import type { ReceivedSpan } from './otlp.ts';

/** A span with those that it led to, in the order of their beginning. */
export type Branch = { name: string; kind: string; role: unknown; below: Branch[] };

/** The spans of one trace as a tree; there has to be one root, which `parentId` is given as the parent of where the caller began the trace. */
export const treeOf = (spans: readonly ReceivedSpan[], parentId: string | null = null): Branch[] =>
  spans
    .filter((span) => span.parentId === parentId)
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ name, kind, process, id }) => ({ name, kind, role: process['colophon.roles'], below: treeOf(spans, id) }));

/** The tree as indented lines, which is how a difference is best seen. */
export const linesOf = (branches: readonly Branch[], depth = 0): string[] =>
  branches.flatMap(({ name, kind, role, below }) => [`${'  '.repeat(depth)}${name} (${kind}, ${String(role)})`, ...linesOf(below, depth + 1)]);
