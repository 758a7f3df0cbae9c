import { describe, expect, it } from 'vitest';
import { openMongoLimits } from '#libs/limits/mongodb.ts';
import { ferretDbForFile, openedOn } from '../ferretdb/opened.ts';
import { isFerretDbThere } from '../ferretdb/server.ts';
import { describeLimitsContract } from './limits.contract.ts';
import { always, noon, take, usageModel, usedBy } from './limits/accounts.ts';

describe.runIf(isFerretDbThere)('with a MongoDB-compatible server', () => {
  const at = ferretDbForFile();
  describeLimitsContract('MongoDB', (usage) => openedOn(at.server, (url) => openMongoLimits(url, usage)));

  it('a correction that is held up undoes nothing of one that read a later usage', async () => {
    const { model, reader } = usageModel();
    let meanwhile = async (): Promise<void> => undefined;
    const ofMonth: typeof reader.ofMonth = async (month) => {
      const read = await reader.ofMonth(month);
      await meanwhile();
      return read;
    };
    const { engine, close } = await openedOn(at.server, (url) => openMongoLimits(url, { ...reader, ofMonth }));
    await take(engine, 'known', 5);
    meanwhile = async () => {
      meanwhile = async () => undefined;
      model.set('known', '2026-05', { used: 4, through: 101 });
      await engine.correct(always(101), noon);
    };
    await engine.correct(always(101), noon);
    expect(await usedBy(engine, 'known')).toBe(4);
    await close();
  });
});
