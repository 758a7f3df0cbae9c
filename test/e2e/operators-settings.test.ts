import { afterEach, describe, expect, it } from 'vitest';
import { clientOf } from './client.ts';
import { expectRefusal } from './refusals.ts';
import { type House, openHouse } from './service.ts';
import { isProduction } from './world.ts';

let house: House;
afterEach(() => house.remove());

const token = 'a-token-for-prometheus-0123456789';
const plain = 'listens beyond this machine without TLS';

describe('The metrics', () => {
  it('need the metrics token where there is one, in processes with an API and without', async () => {
    house = await openHouse({ METRICS_TOKEN: token });
    for (const roles of isProduction ? [[], ['delivery']] : [[]]) {
      const service = await house.start(...roles);
      for (const key of [null, 'wrong', `${token}x`]) {
        const answer = await clientOf(service.url, key).ask('GET', '/metrics');
        expectRefusal(answer, 'invalid_metrics_token');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      const allowed = await clientOf(service.url, token).ask('GET', '/metrics');
      expect([allowed.status, allowed.text]).toEqual([200, expect.stringContaining('# TYPE')]);
      expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
      expectRefusal(await clientOf(service.url, null).ask('POST', '/metrics'), 'method_not_allowed', { allowed: ['GET', 'HEAD'] });
      expectRefusal(await clientOf(service.url, null).ask('GET', '/nothing'), 'not_found');
      expect(service.said()).not.toContain(token);
      expect(service.said()).not.toContain(plain);
    }
  });
});

describe('An API that listens beyond its machine', () => {
  it('warns if neither the API nor a proxy uses TLS, and says what to set', async () => {
    house = await openHouse({ HOST: '0.0.0.0' });
    const { said } = await house.startUnready();
    expect(said().split('\n').filter((line) => line.includes(plain))).toEqual([expect.stringMatching(/"level":"warn".*TLS_CERT_FILE and TLS_KEY_FILE, or BASE_URL/)]);
  });

  it('does not warn behind a proxy that ends TLS', async () => {
    house = await openHouse({ HOST: '0.0.0.0', BASE_URL: 'https://pdf.example.com' });
    const { said } = await house.startUnready();
    expect(said()).not.toContain(plain);
  });
});
