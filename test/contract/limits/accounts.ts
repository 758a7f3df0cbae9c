import { randomUUID } from 'node:crypto';
import type { Allowance, Limits, LogFact, ReadMonth } from '#libs/limits/port.ts';
import type { Opened } from '../harness.ts';

/** `another` opens the same counts once more, as a second process would. */
export type OpenedLimits = Opened<Limits> & { another?: () => Promise<Limits> };

export const at = (time: string): Date => new Date(time);
export const noon = at('2026-05-20T12:00:30.000Z');
export const many = <T>(count: number, work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, work));
export const allowedOf = (answers: readonly { allowed: boolean }[]): number => answers.filter(({ allowed }) => allowed).length;

/** What the log is made to say: the account `known` has had three renders in May 2026, up to position 100. */
export const monthInTheLog: ReadMonth = async (accountId, month) => ({ used: accountId === 'known' && month === '2026-05' ? 3 : 0, through: 100 });

/** A new render of an account. */
export const of = (accountId: string) => ({ id: randomUUID(), accountId });
export const givenBack = (accountId: string, month: string, position: number): LogFact => ({ kind: 'given-back', accountId, month, position });
export const usedBy = async (engine: Limits, accountId: string, now = noon): Promise<number> => (await engine.renders(accountId, { perMonth: null }, now)).used;
/** A request of an account whose month has no limit. */
export const takeRequest = async (engine: Limits, accountId: string, perMinute: number | null, now: Date): Promise<Allowance> => (await engine.admit(accountId, { perMinute, perMonth: null }, now)).minute;
