/** A window of a limit after a request: `limit` null is unlimited. `resetAt` is when the window ends. */
export type Allowance = { allowed: boolean; limit: number | null; used: number; resetAt: Date };

/** Counts per account. Exact under parallel calls, and across processes where the engine is shared. */
export type Limits = {
  /** Counts one request in the minute of `now`, unless the limit is reached. */
  takeRequest(accountId: string, perMinute: number | null, now: Date): Promise<Allowance>;
  /** Counts one render in the calendar month (UTC) of `now`, unless the limit is reached. */
  takeRender(accountId: string, perMonth: number | null, now: Date): Promise<Allowance>;
  /** Takes back one render of the month of `at`. */
  giveBackRender(accountId: string, at: Date): Promise<void>;
  /** The month's count without counting. */
  renders(accountId: string, perMonth: number | null, now: Date): Promise<Allowance>;
};
