import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';
import { isOnServers } from '../support/environment.ts';

let installation: TestInstallation;
afterEach(() => installation.remove());

const token = 'a-token-for-prometheus-0123456789';
const plain = 'reachable from other machines without TLS';

describe('The metrics', () => {
  it('need the metrics token if it is set, in processes with and without an API', async () => {
    installation = await openTestInstallation({ METRICS_TOKEN: token });
    for (const roles of isOnServers ? [[], ['delivery']] : [[]]) {
      const service = await installation.start(...roles);
      for (const key of [null, 'wrong', `${token}x`]) {
        const response = await createClient(service.url, key).request('GET', '/metrics');
        expectErrorResponse(response, 'invalid_metrics_token');
        expect(response.headers.get('www-authenticate')).toBe('Bearer');
      }
      const allowed = await createClient(service.url, token).request('GET', '/metrics');
      expect([allowed.status, allowed.text]).toEqual([200, expect.stringContaining('# TYPE')]);
      expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
      expectErrorResponse(await createClient(service.url, null).request('POST', '/metrics'), 'method_not_allowed', {
        allowed: ['GET', 'HEAD'],
      });
      expectErrorResponse(await createClient(service.url, null).request('GET', '/nothing'), 'not_found');
      expect(service.output()).not.toContain(token);
      expect(service.output()).not.toContain(plain);
    }
  });
});
