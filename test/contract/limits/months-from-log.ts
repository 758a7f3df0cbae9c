import { describe, expect, it } from 'vitest';
import type { Limits, MonthInLog, ReadMonth } from '#libs/limits/port.ts';

/** How every engine of the limits begins a month from what the log says. One that serves a single process may let `learn` wait for the log's answer. */
export const describeMonthsFromLog = (name: string, open: (readMonth: ReadMonth) => Promise<{ engine: Limits; close(): Promise<void> }>, learnWaits = false): void => {
  // oxlint-disable-next-line vitest/valid-title -- the name comes from the file of the engine
  describe(`limits in ${name}`, () => {
    const now = new Date('2026-05-20T12:00:00.000Z');
    const render = (number: number) => ({ id: `r${number}`, accountId: 'a' });

    it('go on from one count of the log for an account and month', async () => {
      const inLog: MonthInLog[] = [4, 40, 400].map((used) => ({ used, through: 1 }));
      const { engine, close } = await open(async () => inLog.shift() ?? { used: 4_000, through: 1 });
      const taken = await Promise.all([1, 2, 3].map((number) => engine.takeRender(render(number), 100, now)));
      const { used } = await engine.renders('a', 100, now);
      // Who asks the log second may be first to have the answer; there is one all the same.
      expect([7, 43, 403]).toContain(used);
      expect(Math.max(...taken.map((one) => one.used))).toBe(used);
      await close();
    });

    it('ask the log again after it could not answer', async () => {
      const answers = [() => Promise.reject(new Error('the log is away')), () => Promise.resolve({ used: 4, through: 1 })];
      const { engine, close } = await open(() => answers.shift()!());
      await expect(engine.takeRender(render(1), 5, now)).rejects.toThrow('the log is away');
      expect(await engine.takeRender(render(2), 5, now)).toMatchObject({ allowed: true, used: 5 });
      await close();
    });

    it('tell nobody of a month that the log has not been asked for', async () => {
      const answers = [() => Promise.reject(new Error('the log is away')), () => Promise.resolve({ used: 4, through: 1 })];
      const { engine, close } = await open(() => answers.shift()!());
      const ask = () => engine.admit('a', { perMinute: null, perMonth: 5 }, now);
      await expect(ask()).rejects.toThrow('the log is away');
      expect((await ask()).month).toMatchObject({ allowed: true, used: 4 });
      await close();
    });

    it('lose nothing that the log gives back while it is being asked', async () => {
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<MonthInLog>();
      const { engine, close } = await open(() => {
        asked.resolve();
        return answer.promise;
      });
      const taking = engine.takeRender(render(1), 4, now);
      await asked.promise;
      const back = (position: number) => ({ kind: 'given-back' as const, accountId: 'a', month: '2026-05', position });
      const learning = engine.learn([back(99), back(101)]).then(() => engine.learn([back(101), back(102)]));
      if (!learnWaits) await learning;
      answer.resolve({ used: 3, through: 100 });
      await learning;
      expect((await taking).allowed).toBe(true);
      await engine.learn([back(102)]);
      expect((await engine.renders('a', 3, now)).used).toBe(2);
      await close();
    });
  });
};
