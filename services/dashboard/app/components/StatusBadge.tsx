import type { ReactElement, ReactNode } from 'react';
import { strings } from '../strings/strings.ts';

export type BadgeTone = 'success' | 'danger' | 'warning' | 'info' | 'neutral';

/** A short label in a colour. */
export const Badge = ({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }): ReactElement => (
  <span className={`badge tone-${tone}`}>{children}</span>
);

type Status = keyof typeof strings.status;
const tones: Record<Status, BadgeTone> = {
  QUEUED: 'neutral',
  PROCESSING: 'info',
  DONE: 'success',
  FAILED: 'danger',
  pending: 'neutral',
  sent: 'info',
  delivered: 'success',
  failed: 'danger',
  timeout: 'danger',
  active: 'success',
  revoked: 'danger',
  expired: 'neutral',
  suspended: 'danger',
  invited: 'info',
};

/** The state of a render, webhook, key, account or member. */
export const StatusBadge = ({ status }: { status: Status }): ReactElement => (
  <span className={`badge tone-${tones[status]}`}>
    <span className="badge-dot" aria-hidden="true" />
    {strings.status[status]}
  </span>
);
