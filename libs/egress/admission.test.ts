import { describe, expect, test } from 'vitest';
import type { Call } from './door.ts';
import { here, kept, openDoor } from './fixtures/kept.ts';
import { httpServer } from './fixtures/listening.ts';

const call = (url: string): Call => ({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), timeoutMs: 10_000, maxResponseBytes: 1000 });

describe('what is not public', () => {
  test.each([
    ['https://127.0.0.1/', '127.0.0.1 is not a public address.'],
    ['https://2130706433/', '127.0.0.1 is not a public address.'],
    ['https://0177.1/', '127.0.0.1 is not a public address.'],
    ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1 is not a public address.'],
    ['https://[::1]:8443/', '::1 is not a public address.'],
    ['https://inside.test/', 'inside.test resolves to an address that is not public.'],
    ['https://example.test:25/', 'Port 25 is not allowed.'],
    ['https://me:pw@example.test/', 'The URL carries a user name or password, which is not allowed.'],
    ['ftp://example.test/', 'The scheme ftp is not allowed; http and https are.'],
    ['nonsense', 'The address is not a valid URL.'],
  ])('%s is refused', async (url, reason) => {
    const { request, refusals } = await openDoor({});
    expect(await request(call(url))).toEqual({ kind: 'refused', reason, durationMs: expect.any(Number) });
    expect(refusals).toHaveLength(1);
  });

  test('is refused where it is one address among public ones', async () => {
    const mixed = async () => [{ address: '8.8.8.8', family: 4 as const }, ...(await here())];
    const inside = await kept(httpServer((_request, response) => response.end()));
    expect(await (await openDoor({ resolve: mixed })).request(call(`http://mixed.test:${inside.port}/`))).toMatchObject({ kind: 'refused' });
    expect(inside.connections()).toBe(0);
  });

  test('is logged with host, address and range, and without the query', async () => {
    const { request, refusals } = await openDoor({});
    await request(call('https://inside.test:8443/hook?token=secret'));
    expect(refusals).toEqual([{ way: 'callback', refused: 'address-not-public', host: 'inside.test', port: 8443, address: '127.0.0.1', range: 'loopback' }]);
    expect(JSON.stringify(refusals)).not.toContain('secret');
  });
});

describe('a name that changes between two look-ups', () => {
  // 127.0.0.2 stands for the public address: the only one that the operator has opened.
  const changing = () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [{ address: asked.length === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 as const }];
    };
    return { asked, resolve };
  };

  test('is looked up once, and the address that was judged is the one connected to', async () => {
    const { asked, resolve } = changing();
    const outside = await kept(httpServer((_request, response) => response.end('outside'), '127.0.0.2'));
    const egress = await openDoor({ allow: ['127.0.0.2/32'], resolve });
    expect(await egress.request(call(`http://rebinding.test:${outside.port}/`))).toMatchObject({ kind: 'answered', body: 'outside' });
    expect(asked).toEqual(['rebinding.test']);
  });

  test('is refused when the next connection finds it inside', async () => {
    const { asked, resolve } = changing();
    const inside = await kept(httpServer((_request, response) => response.end('inside')));
    const egress = await openDoor({ allow: ['127.0.0.2/32'], resolve });
    const again = () => egress.request(call(`http://rebinding.test:${inside.port}/`));
    expect(await again()).toMatchObject({ kind: 'failed' });
    expect(await again()).toMatchObject({ kind: 'refused' });
    expect(asked).toHaveLength(2);
    expect(inside.connections()).toBe(0);
  });
});
