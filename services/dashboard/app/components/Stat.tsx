import type { ReactElement, ReactNode } from 'react';
import { formatCount } from './formats.ts';

type StatProps = {
  label: string;
  value: ReactNode;
  /** A line below the figure. */
  text?: ReactNode;
  tone?: 'success' | 'warning' | 'danger';
  href?: ReactNode;
};

/** One figure with its name. */
export const Stat = ({ label, value, text, tone, href }: StatProps): ReactElement => (
  <div className={`card stat${tone ? ` tone-${tone}` : ''}`}>
    <p className="small muted">{label}</p>
    <p className="stat-value">{value}</p>
    {text && <p className="stat-text">{text}</p>}
    {href}
  </div>
);

/** How much of a limit is used, with the figures in words. */
export const Meter = ({ label, used, limit }: { label: string; used: number; limit: number | null }): ReactElement => {
  const share = limit === null || limit === 0 ? 0 : Math.min(1, used / limit);
  const tone = share >= 1 ? 'danger' : share >= 0.8 ? 'warning' : 'normal';
  return (
    <div
      className={`meter tone-${tone}`}
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
