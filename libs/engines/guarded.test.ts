import { describe, expect, it, vi } from 'vitest';
import { Problem } from '#contracts/http/problem.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { DiskRefusal } from '#libs/disk/refusal.ts';
import { guarded } from './guarded.ts';
import { patient } from './patient.ts';

const times = { wellMs: 20, awayMs: 10 };
const quick = { firstMs: 1, longestMs: 2, altogetherMs: 60_000 };
const engineOf = (read: () => Promise<string>, missing: string | null = null) => ({ read, missing: () => missing, close: async () => undefined });
const open = { closed: () => null, away: () => false, report: () => undefined, times };
const faultOf = (attempt: Promise<unknown>) => attempt.then(() => null, (error: unknown) => (error instanceof Problem ? error.fault.name : error));

describe('An engine, to callers of the API,', () => {
  it('is unavailable where it fails, and the reason goes to the log alone', async () => {
    const report = vi.fn<(error: unknown) => void>();
    const reason = new Error('ECONNREFUSED 10.0.0.7:27017');
    const attempt = guarded(engineOf(() => Promise.reject(reason)), { ...open, report }).read();
    expect(await faultOf(attempt)).toBe('service_unavailable');
    await expect(attempt).rejects.not.toThrow('10.0.0.7');
    expect(report).toHaveBeenCalledExactlyOnceWith(reason);
  });

  it('is unavailable where it has no answer in time', async () => {
    const silent = engineOf(() => new Promise(() => undefined));
    expect(await faultOf(guarded(silent, open).read())).toBe('service_unavailable');
    const never = { wellMs: 3_600_000, awayMs: 10 };
    expect(await faultOf(guarded(silent, { ...open, away: () => true, times: never }).read())).toBe('service_unavailable');
  });

  it('is not asked before the service is open', async () => {
    const read = vi.fn<() => Promise<string>>();
    await expect(guarded(engineOf(read), { ...open, closed: () => 'The service is starting.' }).read()).rejects.toThrow('The service is starting.');
    expect(read).not.toHaveBeenCalled();
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of [new RevisionConflict('render-1', 0), Problem.of('not_found', 'x'), new TypeError('no JSON')]) {
      await expect(guarded(engineOf(() => Promise.reject(error)), open).read()).rejects.toBe(error);
    }
    expect(await guarded(engineOf(async () => 'answer'), open).read()).toBe('answer');
  });

  it('stays as it is where it is no server', () => {
    const embedded = { read: async () => 'answer' };
    expect(guarded(embedded, open)).toBe(embedded);
  });
});

describe('An engine, to a worker in the middle of a job,', () => {
  it('is waited for until it is back', async () => {
    let failures = 5;
    const engine = engineOf(async () => {
      if (failures-- > 0) throw new Error('connection closed');
      return 'answer';
    });
    expect(await patient(engine, new AbortController().signal, quick).read()).toBe('answer');
  });

  it('keeps its own answers and our mistakes', async () => {
    for (const error of [new RevisionConflict('render-1', 0), new TypeError('no JSON')]) {
      await expect(patient(engineOf(() => Promise.reject(error)), new AbortController().signal, quick).read()).rejects.toBe(error);
    }
  });

  it('of this process is waited for while its disk takes no more, and for nothing else', async () => {
    let refusals = 5;
    const embedded = {
      put: async () => {
        if (refusals-- > 0) throw new DiskRefusal(new Error('database or disk is full'));
        return 'kept';
      },
      read: () => Promise.reject(new Error('a mistake')),
    };
    const engine = patient(embedded, new AbortController().signal, { ...quick, altogetherMs: 0 });
    expect(await engine.put()).toBe('kept');
    await expect(engine.read()).rejects.toThrow('a mistake');
    refusals = 1;
    await expect(patient(embedded, AbortSignal.abort(), quick).put()).rejects.toThrow(DiskRefusal);
  });

  it('is not waited for where the process is to end, or after a long time', async () => {
    const engine = engineOf(() => Promise.reject(new Error('connection closed')));
    await expect(patient(engine, AbortSignal.abort(), quick).read()).rejects.toThrow('connection closed');
    await expect(patient(engine, new AbortController().signal, { ...quick, altogetherMs: 20 }).read()).rejects.toThrow('connection closed');
  });
});
