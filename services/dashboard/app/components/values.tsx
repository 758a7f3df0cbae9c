import { type ReactElement, useSyncExternalStore } from 'react';
import { strings } from '../strings/strings.ts';
import { formatAge, formatBytes, formatCount, formatDuration, formatLocalTime, formatUtc } from './formats.ts';
import { TextTooltip } from './Tooltip.tsx';

/** Formatted when it is shown, because a list has many. */
const ExactTime = ({ date, isUtcOnly }: { date: Date; isUtcOnly: boolean }): ReactElement => (
  <>
    {!isUtcOnly && (
      <>
        <bdi>{formatLocalTime(date)}</bdi> ·{' '}
      </>
    )}
    {strings.common.utc(formatUtc(date))}
  </>
);

const ageIntervalMs = 30_000;
const ageListeners = new Set<() => void>();
let ageTimer: number | undefined;
let ageTicks = 0;

/** Calls the listener from time to time; all ages of the page have one timer. */
const followAges = (listener: () => void): (() => void) => {
  ageListeners.add(listener);
  ageTimer ??= window.setInterval(() => {
    ageTicks += 1;
    for (const notify of ageListeners) notify();
  }, ageIntervalMs);
  return () => {
    ageListeners.delete(listener);
    if (ageListeners.size > 0) return;
    window.clearInterval(ageTimer);
    ageTimer = undefined;
  };
};

const Age = ({ date }: { date: Date }): string => {
  useSyncExternalStore(followAges, () => ageTicks);
  return formatAge(date);
};

type TimeProps = { time: string | Date; format?: 'absolute' | 'relative' | 'date' };

/** A time in the reader's zone, with UTC on hover or focus. `relative` shows the age, such as "5 min ago". */
export const Time = ({ time, format = 'absolute' }: TimeProps): ReactElement => {
  const date = new Date(time);
  return (
    <TextTooltip text={<ExactTime date={date} isUtcOnly={format !== 'relative'} />}>
      <time dateTime={date.toISOString()} className="time">
        {format === 'relative' ? <Age date={date} /> : formatLocalTime(date, format === 'date')}
      </time>
    </TextTooltip>
  );
};

/** A duration in milliseconds, such as "12 ms" or "1.3 s". */
export const Duration = ({ ms }: { ms: number }): ReactElement => <span className="number">{formatDuration(ms)}</span>;

/** A size in bytes, such as "12.3 KB". */
export const Bytes = ({ bytes }: { bytes: number }): ReactElement => (
  <span className="number">{formatBytes(bytes)}</span>
);

/** A number with separators of thousands. */
export const Count = ({ value }: { value: number }): ReactElement => (
  <span className="number">{formatCount(value)}</span>
);
