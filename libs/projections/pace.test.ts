import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { pace, type PaceDocument } from './pace.ts';

const completedAt = (second: number, data: { queueMs: number; totalMs: number; attempt?: number; input?: string }): RecordedEvent =>
  ({
    type: 'RenderCompleted',
    data: { attempt: data.attempt ?? 1, input: data.input ?? 'html', durations: { queueMs: data.queueMs, totalMs: data.totalMs } },
    metadata: { occurredAt: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString() },
  }) as unknown as RecordedEvent;

const after = (...events: RecordedEvent[]): PaceDocument | null =>
  events.reduce<PaceDocument | null>((document, event) => pace.on.RenderCompleted!(event)!.evolve(document), null);

describe('The pace of renders', () => {
  it('knows the time from claim to PDF of each kind of input', () => {
    expect(after(completedAt(0, { queueMs: 100, totalMs: 300 }), completedAt(1, { queueMs: 0, totalMs: 900, input: 'docx' }))?.workMs).toEqual({ html: 200, docx: 900 });
  });

  it('does not know what a place in the queue costs before renders have waited', () => {
    expect(after(completedAt(0, { queueMs: 2, totalMs: 6_000 }), completedAt(9, { queueMs: 3, totalMs: 40 }))?.gapMs).toBeNull();
  });

  it('learns that from the time between PDFs while renders wait', () => {
    expect(after(completedAt(0, { queueMs: 0, totalMs: 50 }), completedAt(1, { queueMs: 400, totalMs: 450 }))?.gapMs).toBe(1000);
    expect(after(completedAt(0, { queueMs: 0, totalMs: 50 }), completedAt(1, { queueMs: 400, totalMs: 450 }), completedAt(3, { queueMs: 400, totalMs: 450 }))?.gapMs).toBe(1100);
  });

  it('does not learn it from a render that waited for its own first attempt', () => {
    expect(after(completedAt(0, { queueMs: 0, totalMs: 50 }), completedAt(9, { queueMs: 8_000, totalMs: 9_000, attempt: 2 }))?.gapMs).toBeNull();
  });
});
