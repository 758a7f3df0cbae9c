import { describe, expect, it, vi } from 'vitest';
import type { Limits, MonthInLog, ReadMonth } from '#libs/limits/port.ts';

/** How every engine of the limits begins a month from what the log says. */
export const describeMonthsFromLog = (name: string, open: (readMonth: ReadMonth) => Promise<{ engine: Limits; close(): Promise<void> }>): void => {
  // oxlint-disable-next-line vitest/valid-title -- the name comes from the file of the engine
  describe(`limits in ${name}`, () => {
    const now = new Date('2026-05-20T12:00:00.000Z');
    const render = (number: number) => ({ id: `r${number}`, accountId: 'a' });

    it('go on from one count of the log for an account and month', async () => {
      const inLog: MonthInLog[] = [4, 40, 400].map((used) => ({ used, through: 1 }));
      const { engine, close } = await open(async () => inLog.shift() ?? { used: 4_000, through: 1 });
      const taken = await Promise.all([1, 2, 3].map((number) => engine.takeRender(render(number), { perMonth: 1_000 }, now)));
      const { used } = await engine.renders('a', { perMonth: 1_000 }, now);
      // Who asks the log second may be first to have the answer; there is one all the same.
      expect([7, 43, 403]).toContain(used);
      expect(Math.max(...taken.map((one) => one.used))).toBe(used);
      await close();
    });

    it('ask the log again after it could not answer', async () => {
      const answers = [() => Promise.reject(new Error('the log is away')), () => Promise.resolve({ used: 4, through: 1 })];
      const { engine, close } = await open(() => answers.shift()!());
      await expect(engine.takeRender(render(1), { perMonth: 5 }, now)).rejects.toThrow('the log is away');
      expect(await engine.takeRender(render(2), { perMonth: 5 }, now)).toMatchObject({ allowed: true, used: 5 });
      await close();
    });

    describe('where an account had no limit for a time,', () => {
      const [first, second] = [7, 11];

      it('begin its month anew, from the log, and once', async () => {
        const inLog: MonthInLog[] = [4, 40, 400].map((used, index) => ({ used, through: 10 * (index + 1) }));
        const { engine, close } = await open(async () => inLog.shift()!);
        await engine.takeRender(render(1), { perMonth: 5 }, now);
        expect(await engine.takeRender(render(2), { perMonth: 41, since: first }, now)).toMatchObject({ allowed: true, used: 41 });
        expect(await engine.takeRender(render(3), { perMonth: 41, since: first }, now)).toMatchObject({ allowed: false, used: 41 });
        expect((await engine.admit('a', { perMinute: null, perMonth: 401, since: second }, now)).month).toMatchObject({ allowed: true, used: 400 });
        expect(await engine.renders('a', { perMonth: 401, since: second }, now)).toMatchObject({ used: 400 });
        expect(inLog).toEqual([]);
        await close();
      });

      it('do not go back for somebody who knows of the earlier limit alone', async () => {
        const inLog: MonthInLog[] = [4, 40, 400].map((used) => ({ used, through: 10 }));
        const { engine, close } = await open(async () => inLog.shift()!);
        await engine.takeRender(render(1), { perMonth: 500, since: second }, now);
        for (const since of [first, second]) await engine.takeRender(render(since === first ? 2 : 3), { perMonth: 500, since }, now);
        await engine.takeRender(render(4), { perMonth: 500 }, now);
        expect(await engine.renders('a', { perMonth: 500, since: second }, now)).toMatchObject({ used: 8 });
        await close();
      });

      it('let go of what was open and what was given back before', async () => {
        const inLog: MonthInLog[] = [4, 40].map((used, index) => ({ used, through: 100 * (index + 1) }));
        const { engine, close } = await open(async () => inLog.shift()!);
        await engine.takeRender(render(1), { perMonth: 500 }, now);
        await engine.renders('a', { perMonth: 500, since: first }, now);
        await engine.forgoRender('r1');
        await engine.learn([{ kind: 'given-back', accountId: 'a', month: '2026-05', position: 150 }]);
        expect((await engine.renders('a', { perMonth: 500, since: first }, now)).used).toBe(40);
        await engine.learn([{ kind: 'given-back', accountId: 'a', month: '2026-05', position: 201 }]);
        expect((await engine.renders('a', { perMonth: 500, since: first }, now)).used).toBe(39);
        await close();
      });

      it('go by what the log says after the change, however late an earlier answer comes', async () => {
        const asked: PromiseWithResolvers<MonthInLog>[] = [];
        const { engine, close } = await open(() => {
          const answer = Promise.withResolvers<MonthInLog>();
          asked.push(answer);
          return answer.promise;
        });
        let isTold = false;
        const before = engine.renders('a', { perMonth: 500 }, now).then((told) => ((isTold = true), told));
        await vi.waitFor(() => expect(asked).toHaveLength(1));
        const after = engine.renders('a', { perMonth: 500, since: first }, now);
        await vi.waitFor(() => expect(asked).toHaveLength(2));
        asked[0]!.resolve({ used: 4, through: 1 });
        await vi.waitFor(() => expect(isTold || asked.length === 3).toBe(true));
        for (const answer of asked) answer.resolve({ used: 40, through: 2 });
        expect((await after).used).toBe(40);
        expect((await engine.renders('a', { perMonth: 500, since: first }, now)).used).toBe(40);
        await before;
        await close();
      });
    });

    it('note nothing that is given back while nobody has asked for the month: the log is asked later', async () => {
      const { engine, close } = await open(async () => ({ used: 4, through: 100 }));
      await engine.note('a', 1, now);
      await engine.learn([{ kind: 'given-back', accountId: 'a', month: '2026-05', position: 150 }]);
      expect((await engine.renders('a', { perMonth: 500 }, now)).used).toBe(4);
      await engine.learn([{ kind: 'given-back', accountId: 'a', month: '2026-05', position: 151 }]);
      expect((await engine.renders('a', { perMonth: 500 }, now)).used).toBe(3);
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
      const taking = engine.takeRender(render(1), { perMonth: 4 }, now);
      await asked.promise;
      const back = (position: number) => ({ kind: 'given-back' as const, accountId: 'a', month: '2026-05', position });
      await engine.learn([back(99), back(101)]);
      await engine.learn([back(101), back(102)]);
      answer.resolve({ used: 3, through: 100 });
      expect((await taking).allowed).toBe(true);
      await engine.learn([back(102)]);
      expect((await engine.renders('a', { perMonth: 3 }, now)).used).toBe(2);
      await close();
    });
  });
};
