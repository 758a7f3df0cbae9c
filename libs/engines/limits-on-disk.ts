import { DiskRefusal } from '#libs/disk/refusal.ts';
import type { Allowance, Limits, ReadMonth } from '#libs/limits/port.ts';
import { minuteEnd, monthEnd, monthOf, standing } from '#libs/limits/windows.ts';

/** The requests of the present minute by account that are counted in memory alone. */
const openMemory = () => {
  let minute = 0;
  let counts = new Map<string, number>();
  const of = (ends: number): Map<string, number> => {
    if (ends !== minute) [minute, counts] = [ends, new Map()];
    return counts;
  };
  return {
    used: (accountId: string, ends: number): number => of(ends).get(accountId) ?? 0,
    add: (accountId: string, ends: number, requests: number): void => void of(ends).set(accountId, (of(ends).get(accountId) ?? 0) + requests),
  };
};

/** Limits that count requests in memory while the disk does not take the counts, and tell of a month that cannot be counted as the log has it, so that no read fails for it. */
export const countedWithoutDisk = (limits: Limits, readMonth: ReadMonth): Limits => {
  const memory = openMemory();
  const orElse = async <T>(attempt: Promise<T>, other: () => Promise<T>): Promise<T> => {
    try {
      return await attempt;
    } catch (error) {
      if (!(error instanceof DiskRefusal)) throw error;
      return other();
    }
  };
  const requests: Limits['requests'] = async (accountId, perMinute, now) => {
    const stored = await limits.requests(accountId, perMinute, now);
    return standing(stored.used + memory.used(accountId, stored.resetAt.getTime()), perMinute, stored.resetAt);
  };
  const takeRequest = async (accountId: string, perMinute: number | null, now: Date): Promise<Allowance> => {
    const before = await requests(accountId, perMinute, now);
    if (!before.allowed) return before;
    memory.add(accountId, before.resetAt.getTime(), 1);
    return { ...before, used: before.used + 1 };
  };
  const monthInLog = async (accountId: string, perMonth: number | null, now: Date): Promise<Allowance> => standing((await readMonth(accountId, monthOf(now))).used, perMonth, monthEnd(now));
  const renders: Limits['renders'] = (accountId, month, now) => orElse(limits.renders(accountId, month, now), () => monthInLog(accountId, month.perMonth, now));

  return {
    ...limits,
    admit: (accountId, { perMinute, ...month }, now) =>
      orElse(limits.admit(accountId, { perMinute, ...month }, now), async () => ({ minute: await takeRequest(accountId, perMinute, now), month: await renders(accountId, month, now) })),
    note: (accountId, count, now) => orElse(limits.note(accountId, count, now), async () => memory.add(accountId, minuteEnd(now).getTime(), count)),
    requests,
    renders,
  };
};
