import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeKey } from './accounts.ts';
import { clientOf } from './client.ts';
import { type House, openHouse } from './service.ts';
import { isProduction } from './world.ts';

let house: House;
beforeEach(async () => void (house = await openHouse()));
afterEach(() => house.remove());

describe.skipIf(isProduction)('The embedded engines', () => {
  it('serve one process: a second one is refused until the first has ended, however it does, and commands run beside it', async () => {
    const first = await house.start();
    const second = await house.command('start');
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/Another process serves .*log\.db: .* Stop the other one, or .*COLOPHON_DATA_DIR/);
    const key = await freeKey(house);
    await clientOf(first.url, key).render('html', '<p>beside the command');
    await first.end('SIGKILL');
    const third = await house.start();
    await clientOf(third.url, key).render('html', '<p>after a sudden end');
    expect((await third.end('SIGTERM')).code).toBe(0);
  }, 60_000);

  it('are refused to a process with some of the roles, with what to do', async () => {
    const refused = await house.command('start', 'renderer', 'relay');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^"colophon start renderer relay" needs engines that processes can share.* Run "colophon start".* EVENT_STORE_URL, BUS_URL and READ_STORE_URL\.\n$/);
  });
});
