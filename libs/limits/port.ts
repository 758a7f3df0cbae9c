/** How a rate limit or quota stands: `limit` null is unlimited. `resetAt` is when its minute or month ends. */
export type LimitStatus = { allowed: boolean; limit: number | null; used: number; resetAt: Date };

/** The requests of an account's minute and the renders of its month; `used` of a month without a quota tells nothing. */
export type LimitsStatus = { rateLimit: LimitStatus; quota: LimitStatus };

/**
 * An account's quota; null is unlimited. `since` is the position in the event log of the plan change by which the
 * account last came to have limits; it is left out where the account always had some.
 */
export type QuotaLimit = { perMonth: number | null; quotaSince?: number };

/** A render as it is counted: in the calendar month (UTC) of `at`. */
export type CountedRender = QuotaLimit & { id: string; accountId: string; at: Date };

/**
 * Renders of an account and month that count, as the usage read model has them. `through` is the position of the
 * last event that changed them.
 */
export type Usage = { used: number; lastPosition: number };

/** The usage read model; months are `YYYY-MM`, UTC. */
export type UsageReader = {
  /** Resolves once the read model shows all that is in the event log now. Rejects where that takes too long. */
  waitUntilCaughtUp(): Promise<void>;
  usageOf(accountId: string, month: string): Promise<Usage>;
  /** By account; those without renders are left out. */
  usageOfMonth(month: string): Promise<ReadonlyMap<string, Usage>>;
};

/**
 * What became of a counted render: the position of its acceptance in the event log, `never` where it cannot be
 * accepted any more, `pending` where it still can.
 */
export type RenderOutcome = number | 'never' | 'pending';

/** Counts per account. Exact under parallel calls, and across processes where the engine is shared. */
export type Limits = {
  /** Counts one request in the minute of `now`, unless the rate limit is reached. */
  countRequest(accountId: string, limits: { perMinute: number | null } & QuotaLimit, now: Date): Promise<LimitsStatus>;
  /** The same without counting. */
  readStatus(accountId: string, limits: { perMinute: number | null } & QuotaLimit, now: Date): Promise<LimitsStatus>;
  /** Counts a render, unless the quota is used up. A render that is taken again before it is settled counts once. */
  countRender(render: CountedRender): Promise<LimitStatus>;
  /** Says where in the event log a render was accepted; null takes it back. Without this it is corrected later. */
  confirmOrReleaseRender(render: CountedRender, position: number | null): Promise<void>;
  /**
   * Brings the counts of the months to what the usage read model has and what is still pending. Forgets minutes
   * after two hours, and months after three months.
   */
  correctCounters(fateOf: (renderId: string) => Promise<RenderOutcome>, now: Date): Promise<void>;
  close(): Promise<void>;
};
