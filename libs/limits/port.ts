/** The state of a rate limit or quota. `limit` is null when unlimited. `resetAt` is the end of its minute or month. */
export type LimitStatus = { allowed: boolean; limit: number | null; used: number; resetAt: Date };

/** The requests of the current minute and the renders of the current month. Without a quota, `quota.used` has no meaning. */
export type LimitsStatus = { rateLimit: LimitStatus; quota: LimitStatus };

/**
 * An account's renders per month; null is unlimited. `quotaSince` is the position in the event log of the last plan
 * change from an unlimited plan to a limited one; absent if there was none.
 */
export type QuotaLimit = { perMonth: number | null; quotaSince?: number };

/**
 * A render to count, in the calendar month (UTC) of `at`. `renders` is how many renders it counts as; all of them or none
 * are counted. Absent: 1.
 */
export type CountedRender = QuotaLimit & { id: string; accountId: string; at: Date; renders?: number };

/**
 * The renders of an account and month that count, from the usage read model. `lastPosition` is the position of the
 * last event that changed the number.
 */
export type Usage = { used: number; lastPosition: number };

/** Reads the usage read model. Months are `YYYY-MM`, UTC. */
export type UsageReader = {
  /** Resolves once the read model contains every event that is in the event log now. Rejects after a timeout. */
  waitUntilCaughtUp(): Promise<void>;
  usageOf(accountId: string, month: string): Promise<Usage>;
  /** By account id; accounts without renders are absent. */
  usageOfAccounts(accountIds: readonly string[], month: string): Promise<ReadonlyMap<string, Usage>>;
};

/**
 * The outcome of a counted render: the position in the event log at which it was accepted, `never` if it can no longer
 * be accepted, `pending` if it still can.
 */
export type RenderOutcome = number | 'never' | 'pending';

/** Counts requests and renders per account. Exact for parallel calls, and across processes that share the engine. */
export type Limits = {
  /**
   * Counts one request in the minute of `now`, unless the rate limit is reached. Returns the state after the count. `key`
   * is the id of an account, or a name for another limit.
   */
  countRequest(key: string, limits: { perMinute: number | null } & QuotaLimit, now: Date): Promise<LimitsStatus>;
  /** Returns the same state without counting. */
  readStatus(accountId: string, limits: { perMinute: number | null } & QuotaLimit, now: Date): Promise<LimitsStatus>;
  /** Counts a render unless the quota is used up. A render that is counted again before it is confirmed counts once. */
  countRender(render: CountedRender): Promise<LimitStatus>;
  /** Records the position at which a render was accepted; null releases it. Otherwise `correctCounters` does so later. */
  confirmOrReleaseRender(render: CountedRender, position: number | null): Promise<void>;
  /**
   * Sets each quota counter to the usage read model plus the pending renders, also while the read model is behind: then
   * more renders are pending. Removes rate limit counters after two hours and quota counters after three months. A
   * counter that fails does not keep the others from being corrected, unless several in a row fail.
   * @throws AggregateError in the end, if counters failed
   */
  correctCounters(outcomeOf: (renderId: string) => Promise<RenderOutcome>, now: Date): Promise<void>;
  close(): Promise<void>;
};
