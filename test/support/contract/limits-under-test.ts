import { randomUUID } from 'node:crypto';
import type {
  LimitStatus,
  RenderOutcome,
  Limits,
  QuotaLimit,
  CountedRender,
  Usage,
  UsageReader,
} from '#libs/limits/port.ts';
import type { EngineUnderTest } from './describe-contract.ts';

/** A usage read model that a test fills. A test can replace `caughtUp`. */
export const createUsageModel = () => {
  const documents = new Map<string, Usage & { accountId: string; month: string }>();
  const model = {
    set: (accountId: string, month: string, usage: Usage): void =>
      void documents.set(`${accountId}/${month}`, { accountId, month, ...usage }),
    caughtUp: async (): Promise<void> => undefined,
  };
  model.set('known', '2026-05', { used: 3, lastPosition: 100 });
  const usageOf = async (accountId: string, month: string): Promise<Usage> =>
    documents.get(`${accountId}/${month}`) ?? { used: 0, lastPosition: 0 };
  const usageOfAccounts = async (accountIds: readonly string[], month: string) =>
    new Map(accountIds.flatMap((id) => documents.get(`${id}/${month}`) ?? []).map((one) => [one.accountId, one]));
  return {
    model,
    reader: { waitUntilCaughtUp: () => model.caughtUp(), usageOf, usageOfAccounts } satisfies UsageReader,
  };
};

/**
 * `another` opens the same counts again, as a second process does. The account `known` has three renders in May 2026, up to
 * position 100.
 */
export type LimitsUnderTest = EngineUnderTest<Limits> & {
  another?: () => Promise<Limits>;
  usage: ReturnType<typeof createUsageModel>['model'];
};

export const dateOf = (time: string): Date => new Date(time);
export const noon = dateOf('2026-05-20T12:00:30.000Z');
export const hoursLater = (now: Date, hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
export const repeatInParallel = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));
export const countAllowed = (statuses: readonly { allowed: boolean }[]): number =>
  statuses.filter(({ allowed }) => allowed).length;

export const newRenderToCount = (
  accountId: string,
  perMonth: number | null,
  now = noon,
  quota: Partial<QuotaLimit> = {},
): CountedRender => ({ id: randomUUID(), accountId, at: now, perMonth, ...quota });
export const takeNewRender = (engine: Limits, ...render: Parameters<typeof newRenderToCount>): Promise<LimitStatus> =>
  engine.countRender(newRenderToCount(...render));
export const readQuotaStatus = async (
  engine: Limits,
  accountId: string,
  perMonth: number | null,
  now = noon,
): Promise<LimitStatus> => (await engine.readStatus(accountId, { perMinute: null, perMonth }, now)).quota;
export const readQuotaUsed = async (engine: Limits, accountId: string, now = noon): Promise<number> =>
  (await readQuotaStatus(engine, accountId, 1_000, now)).used;
/** A request of an account without a quota. */
export const countOneRequest = async (
  engine: Limits,
  accountId: string,
  perMinute: number | null,
  now: Date,
): Promise<LimitStatus> => (await engine.countRequest(accountId, { perMinute, perMonth: null }, now)).rateLimit;
export const readRateLimitStatus = async (
  engine: Limits,
  accountId: string,
  perMinute: number | null,
  now: Date,
): Promise<LimitStatus> => (await engine.readStatus(accountId, { perMinute, perMonth: null }, now)).rateLimit;

export const alwaysOutcome = (outcome: RenderOutcome) => async (): Promise<RenderOutcome> => outcome;
