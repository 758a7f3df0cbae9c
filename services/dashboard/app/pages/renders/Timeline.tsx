import type { ReactElement } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Disclosure, DisclosurePanel } from 'react-aria-components';
import type { z } from 'zod';
import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import type { historyEvent } from '#contracts/http/jobs.ts';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';
import { api } from '../../api/client.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { formatDuration } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { JsonView } from '../../components/JsonView.tsx';
import { ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { sentenceOf } from '../audit/event-texts.ts';

type HistoryEvent = z.output<typeof historyEvent>;
type TimelineItem = {
  event: HistoryEvent;
  /** Since the event before, in milliseconds. */ afterMs: number | null;
};

/** The events with the time between them. */
const timelineOf = (events: readonly HistoryEvent[]): TimelineItem[] =>
  events.map((event, index) => {
    const before = events[index - 1];
    return { event, afterMs: before ? Date.parse(event.time) - Date.parse(before.time) : null };
  });

type Tone = 'success' | 'danger' | 'info' | 'neutral';

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
const hasSameBytes = (event: HistoryEvent, recordedSha256: string | undefined): boolean | null => {
  const sha256 = event.type === 'RenderVerified' ? outcomeOf(event).pdf?.sha256 : undefined;
  return sha256 === undefined ? null : sha256 === recordedSha256;
};

/** How good the news of an event are. `recordedSha256` is the hash of the render's PDF. */
const toneOf = (event: HistoryEvent, recordedSha256: string | undefined): Tone => {
  if (event.type === 'WebhookAttempted') {
    const { kind, status = 0 } = outcomeOf(event);
    return kind === 'responded' && status >= 200 && status < 300 ? 'success' : 'danger';
  }
  if (event.type === 'RenderVerified') return hasSameBytes(event, recordedSha256) ? 'success' : 'danger';
  return tones[event.type] ?? 'neutral';
};

type Phase = { name: 'queue' | 'prepare' | 'wait' | 'load' | 'print' | 'finish' | 'rest'; ms: number };

/** The phases of a completed render; `rest` is what the others leave of the total. */
const phasesOf = (timings: NonNullable<RenderRecordResponse['timings_ms']>): Phase[] => {
  const names = ['queue', 'prepare', 'wait', 'load', 'print', 'finish'] as const;
  const phases: Phase[] = names.map((name) => ({ name, ms: timings[name] }));
  const rest = timings.total - phases.reduce((sum, { ms }) => sum + ms, 0);
  return [...phases, { name: 'rest' as const, ms: Math.max(0, rest) }].filter(({ ms }) => ms > 0);
};

const texts = strings.renders.timeline;

type Timings = NonNullable<RenderDetailResponse['timings_ms']>;

/** How long each phase of a completed render took. */
const Phases = ({ timings }: { timings: Timings }): ReactElement => {
  const phases = phasesOf(timings);
  return (
    <figure className="stack" aria-label={texts.phasesTitle}>
      <div className="render-phases" aria-hidden="true">
        {phases.map(({ name, ms }) => (
          <span key={name} className={`phase-${name}`} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul className="render-phase-legend">
        {phases.map(({ name, ms }) => (
          <li key={name}>
            <i className={`phase-${name}`} aria-hidden="true" />
            {texts.phases[name]} <span className="muted number">{formatDuration(ms)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
};

const afterText = (afterMs: number | null): string | null => {
  if (afterMs === null) return null;
  return afterMs <= 0 ? texts.atOnce : texts.after(formatDuration(afterMs));
};

const Item = ({ item: { event, afterMs }, sha256 }: { item: TimelineItem; sha256: string | undefined }) => {
  const after = afterText(afterMs);
  const isSame = hasSameBytes(event, sha256);
  return (
    <li>
      <span className={`timeline-dot tone-${toneOf(event, sha256)}`} aria-hidden="true" />
      <Disclosure>
        {({ isExpanded }) => (
          <>
            <Button slot="trigger" className="timeline-button">
              <span className="timeline-title">
                {sentenceOf(event)}
                {isSame !== null && `: ${isSame ? texts.sameBytes : texts.otherBytes}`}
              </span>
              <span className="muted small number">{after}</span>
              <span className="muted small">
                <Time time={event.time} />
              </span>
            </Button>
            <DisclosurePanel>
              {isExpanded && (
                <div className="timeline-body">
                  <FieldList
                    values={{
                      [texts.revision]: <span className="number">{event.revision}</span>,
                      [texts.actor]: <ActorName actor={event.actor as Parameters<typeof ActorName>[0]['actor']} />,
                      [strings.renders.fields.request]: <Id id={event.request_id} isLong withoutLink />,
                      [strings.renders.fields.trace]:
                        event.trace_id === null ? strings.common.none : <Id id={event.trace_id} isLong withoutLink />,
                    }}
                  />
                  <JsonView value={event} />
                </div>
              )}
            </DisclosurePanel>
          </>
        )}
      </Disclosure>
    </li>
  );
};

/** What happened to a render and its callback, with the time between the events. */
export const Timeline = ({ render }: { render: RenderDetailResponse }): ReactElement => {
  const { data, error, refetch } = useQuery({
    queryKey: ['render', render.id, 'events', render.status],
    queryFn: ({ signal }) =>
      api.get('/api/v1/renders/{render_id}/events', { params: { render_id: render.id }, signal }),
    placeholderData: (before) => before,
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  return (
    <div className="stack">
      {render.timings_ms && <Phases timings={render.timings_ms} />}
      <ol className="timeline" aria-label={texts.events(data.events.length)}>
        {timelineOf(data.events).map((item) => (
          <Item key={item.event.id} item={item} sha256={render.pdf_sha256} />
        ))}
      </ol>
    </div>
  );
};
