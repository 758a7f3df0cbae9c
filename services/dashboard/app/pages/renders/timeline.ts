import type { z } from 'zod';
import type { historyEvent } from '#contracts/http/jobs.ts';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';

export type HistoryEvent = z.output<typeof historyEvent>;
export type TimelineItem = {
  event: HistoryEvent;
  /** Since the event before, in milliseconds. */ afterMs: number | null;
};

/** The events with the time between them. */
export const timelineOf = (events: readonly HistoryEvent[]): TimelineItem[] =>
  events.map((event, index) => {
    const before = events[index - 1];
    return { event, afterMs: before ? Date.parse(event.time) - Date.parse(before.time) : null };
  });

export type Tone = 'success' | 'danger' | 'info' | 'neutral';

const tones: Partial<Record<string, Tone>> = {
  RenderRequested: 'info',
  RenderStarted: 'info',
  RenderCompleted: 'success',
  RenderFailed: 'danger',
  WebhookDelivered: 'success',
  WebhookFailed: 'danger',
};

type Outcome = { kind?: string; status?: number; pdf?: { sha256?: string } };

const outcomeOf = ({ data }: HistoryEvent): Outcome => (data as { outcome?: Outcome }).outcome ?? {};

/** Whether a verification gave the recorded bytes; null for another event, and if the render failed then. */
export const hasSameBytes = (event: HistoryEvent, recordedSha256: string | undefined): boolean | null => {
  const sha256 = event.type === 'RenderVerified' ? outcomeOf(event).pdf?.sha256 : undefined;
  return sha256 === undefined ? null : sha256 === recordedSha256;
};

/** How good the news of an event are. `recordedSha256` is the hash of the render's PDF. */
export const toneOf = (event: HistoryEvent, recordedSha256: string | undefined): Tone => {
  if (event.type === 'WebhookAttempted') {
    const { kind, status = 0 } = outcomeOf(event);
    return kind === 'responded' && status >= 200 && status < 300 ? 'success' : 'danger';
  }
  if (event.type === 'RenderVerified') return hasSameBytes(event, recordedSha256) ? 'success' : 'danger';
  return tones[event.type] ?? 'neutral';
};

export type Phase = { name: 'queue' | 'prepare' | 'wait' | 'load' | 'print' | 'finish' | 'rest'; ms: number };

/** The phases of a completed render; `rest` is what the others leave of the total. */
export const phasesOf = (timings: NonNullable<RenderRecordResponse['timings_ms']>): Phase[] => {
  const names = ['queue', 'prepare', 'wait', 'load', 'print', 'finish'] as const;
  const phases: Phase[] = names.map((name) => ({ name, ms: timings[name] }));
  const rest = timings.total - phases.reduce((sum, { ms }) => sum + ms, 0);
  return [...phases, { name: 'rest' as const, ms: Math.max(0, rest) }].filter(({ ms }) => ms > 0);
};
