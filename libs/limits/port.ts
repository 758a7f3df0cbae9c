/** How a rate limit or quota stands: `limit` null is unlimited. `resetAt` is when its minute or month ends. */
export type Allowance = { allowed: boolean; limit: number | null; used: number; resetAt: Date };

/** The requests of an account's minute and the renders of its month; `used` of a month without a quota tells nothing. */
export type Standing = { minute: Allowance; month: Allowance };

/**
 * An account's quota; null is unlimited. `since` is the position in the event log of the plan change by which the
 * account last came to have limits; it is left out where the account always had some.
 */
export type Quota = { perMonth: number | null; since?: number };

/** A render as it is counted: in the calendar month (UTC) of `at`. */
export type RenderToCount = Quota & { id: string; accountId: string; at: Date };

/**
 * Renders of an account and month that count, as the usage read model has them. `through` is the position of the
 * last event that changed them.
 */
export type Usage = { used: number; through: number };

/** The usage read model; months are `YYYY-MM`, UTC. */
export type UsageReader = {
  /** Resolves once the read model shows all that is in the event log now. Rejects where that takes too long. */
  caughtUp(): Promise<void>;
  of(accountId: string, month: string): Promise<Usage>;
  /** By account; those without renders are left out. */
  ofMonth(month: string): Promise<ReadonlyMap<string, Usage>>;
};

/**
 * What became of a counted render: the position of its acceptance in the event log, `never` where it cannot be
 * accepted any more, `pending` where it still can.
 */
export type Fate = number | 'never' | 'pending';

/** Counts per account. Exact under parallel calls, and across processes where the engine is shared. */
export type Limits = {
  /** Counts one request in the minute of `now`, unless the rate limit is reached. */
  admit(accountId: string, limits: { perMinute: number | null } & Quota, now: Date): Promise<Standing>;
  /** The same without counting. */
  look(accountId: string, limits: { perMinute: number | null } & Quota, now: Date): Promise<Standing>;
  /** Counts a render, unless the quota is used up. A render that is taken again before it is settled counts once. */
  takeRender(render: RenderToCount): Promise<Allowance>;
  /** Says where in the event log a render was accepted; null takes it back. Without this it is corrected later. */
  settleRender(render: RenderToCount, position: number | null): Promise<void>;
  /**
   * Brings the counts of the months to what the usage read model has and what is still pending. Forgets minutes
   * after two hours, and months after three months.
   */
  correct(fateOf: (renderId: string) => Promise<Fate>, now: Date): Promise<void>;
  close(): Promise<void>;
};
