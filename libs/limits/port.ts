/** A window of a limit after a request: `limit` null is unlimited. `resetAt` is when the window ends. */
export type Allowance = { allowed: boolean; limit: number | null; used: number; resetAt: Date };

/** How an account's month (`YYYY-MM`, UTC) stands in the log: the renders that count, those given back after no event later than `through` left out. */
export type MonthInLog = { used: number; through: number };

/** Asked for an account and month before its first count, and before the first after it came to have a limit. Rejects when it cannot tell. */
export type ReadMonth = (accountId: string, month: string) => Promise<MonthInLog>;

/** What the log says about the counts. `position` is that of the event. */
export type LogFact = { kind: 'accepted'; renderId: string } | { kind: 'given-back'; accountId: string; month: string; position: number };

/**
 * The limit of an account's months; null is unlimited. Renders of an account without one need not be counted: `since` is the position in the log of the change by which it last
 * came to have one (left out where it always had), and a month whose count was begun before is begun anew, from the log. Renders
 * under way at that moment may be missing in that count: those that come into the log only after it was asked, and were let in by the earlier limit.
 */
export type MonthLimit = { perMonth: number | null; since?: number };

/** Counts per account. Exact under parallel calls, and across processes where the engine is shared. */
export type Limits = {
  /** Counts one request in the minute of `now`, unless the limit is reached, and tells of the month as `renders` does: what every request needs to know, asked at once. */
  admit(accountId: string, limits: { perMinute: number | null } & MonthLimit, now: Date): Promise<{ minute: Allowance; month: Allowance }>;
  /** Counts so many requests of an account, of which none is refused, in the minute of `now`. */
  note(accountId: string, requests: number, now: Date): Promise<void>;
  /** The minute's count without counting. */
  requests(accountId: string, perMinute: number | null, now: Date): Promise<Allowance>;
  /**
   * Counts one render in the calendar month (UTC) of `now`, unless the limit is reached. Its id stays noted as open
   * until the log is known to have the render, or it is forgone; asked for again while it is open, it counts no second time.
   */
  takeRender(render: { id: string; accountId: string }, month: MonthLimit, now: Date): Promise<Allowance>;
  /** Takes back a render that never came into the log; one that is not open any more stays counted. */
  forgoRender(renderId: string): Promise<void>;
  /** Facts of the log in its order. Each one counts once, however often it is told. */
  learn(facts: readonly LogFact[]): Promise<void>;
  /** The ids of renders that were counted before `before` and are still open. */
  openRenders(before: Date): Promise<string[]>;
  /** The latest position of the log that a count goes by; 0 where none does. */
  builtTo(): Promise<number>;
  /** Throws away what the months were counted from the log, and the renders that are open: each month is begun anew. Minutes stay. */
  forget(): Promise<void>;
  /** The month's count without counting. */
  renders(accountId: string, month: MonthLimit, now: Date): Promise<Allowance>;
  /** The installation that the storage belongs to; null while it belongs to none. */
  mark(): Promise<string | null>;
  /** Lets storage without a mark belong to an installation; answers with the mark that it has then, which may be another one. Durable when it resolves. */
  setMark(installation: string): Promise<string>;
  close(): Promise<void>;
};
