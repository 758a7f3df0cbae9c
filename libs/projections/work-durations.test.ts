import { describe, expect, it } from 'vitest';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { handleEvent } from './projection.ts';
import {
  workDurations,
  type WorkDurationsDocument,
  allAccountsDocumentId,
  waitPerQueuedRenderMs,
  expectedWorkMs,
} from './work-durations.ts';

const timeAt = (second: number): number => Date.UTC(2026, 0, 1, 0, 0, 0) + second * 1000;

const eventAt = (second: number, type: string, data: unknown): unknown => ({
  type,
  data,
  metadata: { accountId: 'a', occurredAt: new Date(timeAt(second)).toISOString() },
});

/** A render that was requested and started at these seconds. */
const started = (requestedAt: number, second: number, attempt = 1): RecordedEvent =>
  eventAt(second, 'RenderStarted', { attempt, worker: 'w', queueMs: (second - requestedAt) * 1000 }) as RecordedEvent;
const completed = (second: number, data: { queueMs: number; totalMs: number; input?: string }) =>
  eventAt(second, 'RenderCompleted', {
    attempt: 1,
    input: data.input ?? 'html',
    durations: { queueMs: data.queueMs, totalMs: data.totalMs },
  }) as RecordedEvent<EventOf<'RenderCompleted'>>;

const after = (...events: RecordedEvent[]): WorkDurationsDocument | null =>
  events.reduce<WorkDurationsDocument | null>((document, event) => {
    const effect = handleEvent(workDurations.handlers, event);
    return effect ? effect.evolve(document) : document;
  }, null);
const waitPerRenderAfter = (second: number, ...events: RecordedEvent[]): number =>
  waitPerQueuedRenderMs(after(...events), timeAt(second));

describe('The work durations', () => {
  it('have the time from claim to PDF by input type, for the account and for all accounts', () => {
    const document = after(
      completed(0, { queueMs: 100, totalMs: 300 }),
      completed(1, { queueMs: 0, totalMs: 900, input: 'docx' }),
    );
    expect([
      expectedWorkMs(document, 'html', timeAt(2)),
      expectedWorkMs(document, 'docx', timeAt(2)),
      expectedWorkMs(document, 'csv', timeAt(2)),
    ]).toEqual([200, 900, 550]);
    const effect = workDurations.handlers['RenderCompleted']!(completed(0, { queueMs: 0, totalMs: 5 }));
    const [ofAllAccounts] = effect!.additionalEffects!(null);
    expect(ofAllAccounts).toMatchObject({ id: allAccountsDocumentId });
    expect(expectedWorkMs(ofAllAccounts!.evolve(null) as WorkDurationsDocument, 'html', timeAt(1))).toBe(5);
  });

  it('ignore old measurements', () => {
    expect(expectedWorkMs(after(completed(0, { queueMs: 0, totalMs: 20_000 })), 'html', timeAt(3_600))).toBeNull();
    const busy = [started(0, 0), started(0, 20), started(0, 40)];
    expect(waitPerRenderAfter(40, ...busy)).toBeGreaterThan(5_000);
    expect(waitPerRenderAfter(400, ...busy)).toBeLessThan(100);
  });

  it('compute the wait per queued render from the time between two starts in which the second render was queued', () => {
    expect(
      waitPerRenderAfter(4, started(0, 0), started(0, 1), started(0, 2), started(0, 3), started(0, 4)),
    ).toBeGreaterThan(500);
    expect(
      waitPerRenderAfter(4, started(0, 0), started(0, 1), started(0, 2), started(0, 3), started(0, 4)),
    ).toBeLessThan(1_000);
  });

  it('do not include idle time', () => {
    expect(waitPerRenderAfter(59, started(0, 0), started(58.9, 59))).toBeLessThan(150);
  });

  it('include failed renders like successful ones', () => {
    expect(Object.keys(workDurations.handlers)).toEqual(['RenderStarted', 'RenderCompleted']);
    expect(waitPerRenderAfter(40, started(0, 0), started(0, 20), started(39.9, 40), started(39.9, 40))).toBeLessThan(
      waitPerRenderAfter(40, started(0, 0), started(0, 20)),
    );
  });

  it('ignore the second attempt of a render', () => {
    expect(waitPerRenderAfter(9, started(0, 0), started(0, 9, 2))).toBeLessThan(50.01);
  });

  it('tolerate a clock that was set back', () => {
    expect(waitPerRenderAfter(0, started(10, 10), started(5, 5))).toBeLessThan(100);
    const busy = [started(0, 0), started(0, 20), started(0, 40)];
    expect(waitPerRenderAfter(40 - 3_600, ...busy)).toBeLessThan(100);
    expect(expectedWorkMs(after(completed(0, { queueMs: 0, totalMs: 20_000 })), 'html', timeAt(-3_600))).toBeNull();
  });
});
