import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freeKey } from '../e2e/accounts.ts';
import { type Client, clientOf } from '../e2e/client.ts';
import { type House, openHouse, type Service } from '../e2e/service.ts';
import { until } from '../e2e/until.ts';
import { type Beacon, openBeacon } from './beacon.ts';
import { hasEnded, storiesIn, typesOf } from './renders.ts';

let beacon: Beacon;
let house: House;
let service: Service;
let caller: Client;
let key: string;
beforeAll(async () => {
  beacon = await openBeacon();
  house = await openHouse({ COLOPHON_EGRESS_ALLOW: beacon.host });
  key = await freeKey(house);
});
beforeEach(async () => {
  service = await house.start();
  caller = clientOf(service.url, key);
});
afterEach(async () => {
  expect((await service.end('SIGTERM')).code).toBe(0);
});
afterAll(async () => {
  await house.remove();
  beacon.close();
});

describe('A service that is killed in the middle of renders', () => {
  it('ends every one of them once it is back, each once', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `killed-${i}`);
    const hungUp = names.map((name) => caller.convert('html', beacon.document(name), { wait_time: 1000 }).catch(() => 'hung up'));
    await Promise.all([beacon.ran('killed-0'), until('all have been accepted', async () => (await storiesIn(house)).size === names.length)]);
    await service.end('SIGKILL');
    expect(await Promise.all(hungUp)).toContain('hung up');

    service = await house.start();
    const stories = await until('every render has ended', async () => {
      const all = [...(await storiesIn(house)).values()];
      return all.every(hasEnded) && all;
    });
    expect(stories.map((story) => typesOf(story).filter((type) => type === 'RenderCompleted').length)).toEqual(names.map(() => 1));
    expect(stories.map(typesOf)).toContainEqual(['RenderRequested', 'RenderStarted', 'RenderStarted', 'RenderCompleted']);
    await clientOf(service.url, key).render('html', '<p>x</p>');
  }, 60_000);

  it('loses nothing that it has said was done', async () => {
    const rendered = await Promise.all(Array.from({ length: 10 }, (_, i) => caller.render('html', `<p>${i}</p>`)));
    await service.end('SIGKILL');
    const stories = await storiesIn(house);
    for (const { id } of rendered) expect(typesOf(stories.get(id.replace('_', '-'))!).at(-1)).toBe('RenderCompleted');
    service = await house.start();
  });
});
