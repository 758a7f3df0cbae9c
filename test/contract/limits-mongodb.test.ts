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
    const usageOfMonth: typeof reader.usageOfMonth = async (month) => {
      const read = await reader.usageOfMonth(month);
      await duringRead();
      return read;
    };
    const { engine, close } = await openEngineOn(testServer.server, (url) =>
      openMongoLimits(url, { ...reader, usageOfMonth }),
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
});
