import { randomUUID } from 'node:crypto';
import type { Allowance, Fate, Limits, Quota, RenderToCount, Usage, UsageReader } from '#libs/limits/port.ts';
import type { Opened } from '../harness.ts';

/** A usage read model that shows what a test sets; `caughtUp` does what the test says, at first nothing. */
export const usageModel = () => {
  const documents = new Map<string, Usage & { accountId: string; month: string }>();
  const model = {
    set: (accountId: string, month: string, usage: Usage): void => void documents.set(`${accountId}/${month}`, { accountId, month, ...usage }),
    caughtUp: async (): Promise<void> => undefined,
  };
  model.set('known', '2026-05', { used: 3, through: 100 });
  const of = async (accountId: string, month: string): Promise<Usage> => documents.get(`${accountId}/${month}`) ?? { used: 0, through: 0 };
  const ofMonth = async (month: string) => new Map([...documents.values()].filter((one) => one.month === month).map((one) => [one.accountId, one]));
  return { model, reader: { caughtUp: () => model.caughtUp(), of, ofMonth } satisfies UsageReader };
};

/** `another` opens the same counts once more, as a second process would. The account `known` has had three renders in May 2026, up to position 100. */
export type OpenedLimits = Opened<Limits> & { another?: () => Promise<Limits>; usage: ReturnType<typeof usageModel>['model'] };

export const at = (time: string): Date => new Date(time);
export const noon = at('2026-05-20T12:00:30.000Z');
export const later = (now: Date, hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
export const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, work));
export const allowedOf = (answers: readonly { allowed: boolean }[]): number => answers.filter(({ allowed }) => allowed).length;

/** A new render of an account. */
export const renderOf = (accountId: string, perMonth: number | null, now = noon, quota: Partial<Quota> = {}): RenderToCount => ({ id: randomUUID(), accountId, at: now, perMonth, ...quota });
export const take = (engine: Limits, ...render: Parameters<typeof renderOf>): Promise<Allowance> => engine.takeRender(renderOf(...render));
export const monthIn = async (engine: Limits, accountId: string, perMonth: number | null, now = noon): Promise<Allowance> => (await engine.look(accountId, { perMinute: null, perMonth }, now)).month;
export const usedBy = async (engine: Limits, accountId: string, now = noon): Promise<number> => (await monthIn(engine, accountId, 1_000, now)).used;
/** A request of an account without a quota. */
export const request = async (engine: Limits, accountId: string, perMinute: number | null, now: Date): Promise<Allowance> => (await engine.admit(accountId, { perMinute, perMonth: null }, now)).minute;
export const requestsOf = async (engine: Limits, accountId: string, perMinute: number | null, now: Date): Promise<Allowance> => (await engine.look(accountId, { perMinute, perMonth: null }, now)).minute;

export const always = (fate: Fate) => async (): Promise<Fate> => fate;
