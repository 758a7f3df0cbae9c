import type { ReactElement, ReactNode } from 'react';
import { formatCount } from './formats.ts';

type StatProps = {
  label: string;
  value: ReactNode;
  /** A line below the figure. */
  text?: ReactNode;
  tone?: Tone | undefined;
  /** Below the text, such as a meter. */
  children?: ReactNode;
};

type Tone = 'warning' | 'danger';

/** The tone of a used share of a limit: from 1 on `danger`, from 0.8 on `warning`. */
export const toneOfShare = (share: number): Tone | undefined =>
  share >= 1 ? 'danger' : share >= 0.8 ? 'warning' : undefined;

const toneClass = (tone: Tone | undefined): string => (tone ? ` tone-${tone}` : '');

/** One figure with its name. */
export const Stat = ({ label, value, text, tone, children }: StatProps): ReactElement => (
  <div className={`card stat${toneClass(tone)}`}>
    <p className="small muted">{label}</p>
    <p className="stat-value">{value}</p>
    {text && <p className="stat-text">{text}</p>}
    {children}
  </div>
);

/** How much of a limit is used, with the figures in words. */
export const Meter = ({ label, used, limit }: { label: string; used: number; limit: number | null }): ReactElement => {
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  return (
    <div
      className={`meter${toneClass(toneOfShare(share))}`}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={limit === null ? formatCount(used) : `${formatCount(used)} / ${formatCount(limit)}`}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  );
};
