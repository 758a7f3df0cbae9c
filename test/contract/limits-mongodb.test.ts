import { describe, expect, it } from 'vitest';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { useFerretDb, openEngineOn } from '../support/ferretdb/engines.ts';
import { isFerretDbAvailable } from '../support/ferretdb/server.ts';
import { describeLimitsContract } from './limits.contract.ts';
import {
  alwaysOutcome,
  noon,
  takeNewRender,
  createUsageModel,
  readQuotaUsed,
} from '../support/contract/limits-under-test.ts';

describe.runIf(isFerretDbAvailable)('with a MongoDB-compatible server', () => {
  const testServer = useFerretDb();
  describeLimitsContract('MongoDB', (usage) => openEngineOn(testServer.server, (url) => openMongoLimits(url, usage)));

  it('a slow correction does not undo a correction that read a newer usage', async () => {
    const { model, reader } = createUsageModel();
    let duringRead = async (): Promise<void> => undefined;
    const usageOfAccounts: typeof reader.usageOfAccounts = async (accountIds, month) => {
      const read = await reader.usageOfAccounts(accountIds, month);
      await duringRead();
      return read;
    };
    const { engine, close } = await openEngineOn(testServer.server, (url) =>
      openMongoLimits(url, { ...reader, usageOfAccounts }),
    );
    await takeNewRender(engine, 'known', 5);
    duringRead = async () => {
      duringRead = async () => undefined;
      model.set('known', '2026-05', { used: 4, lastPosition: 101 });
      await engine.correctCounters(alwaysOutcome(101), noon);
    };
    await engine.correctCounters(alwaysOutcome(101), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(4);
    await close();
  });

  it('a correction reads the usage only of accounts that have a counter in the month', async () => {
    const { reader } = createUsageModel();
    const asked: [readonly string[], string][] = [];
    const usageOfAccounts: typeof reader.usageOfAccounts = async (accountIds, month) => {
      asked.push([accountIds, month]);
      return reader.usageOfAccounts(accountIds, month);
    };
    const { engine, close } = await openEngineOn(testServer.server, (url) =>
      openMongoLimits(url, { ...reader, usageOfAccounts }),
    );
    await takeNewRender(engine, 'a', 5);
    await takeNewRender(engine, 'a', 5, noon, { quotaSince: 50 });
    await engine.correctCounters(alwaysOutcome('pending'), noon);
    expect(asked).toEqual(
      expect.arrayContaining([
        [['a'], '2026-05'],
        [[], '2026-04'],
      ]),
    );
    expect(asked).toHaveLength(2);
    await close();
  });

  it('an older usage that has caught up, as after the restore of an older event log, corrects the counters', async () => {
    const { model, reader } = createUsageModel();
    const { engine, close } = await openEngineOn(testServer.server, (url) => openMongoLimits(url, reader));
    await takeNewRender(engine, 'known', 10);
    model.set('known', '2026-05', { used: 4, lastPosition: 101 });
    await engine.correctCounters(alwaysOutcome(101), noon);
    model.set('known', '2026-05', { used: 2, lastPosition: 90 });
    await engine.correctCounters(alwaysOutcome('never'), noon);
    expect(await readQuotaUsed(engine, 'known')).toBe(2);
    await close();
  });
});
