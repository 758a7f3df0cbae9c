import { afterEach, describe, expect, it } from 'vitest';
import { type TestInstallation, openTestInstallation } from '../support/service/installation.ts';

let installation: TestInstallation;
afterEach(() => installation.remove());

const warning = 'reachable from other machines without TLS';

describe('An API that is reachable from other machines', () => {
  it('warns if neither the API nor a proxy uses TLS, and says what to set', async () => {
    installation = await openTestInstallation({ HOST: '0.0.0.0' });
    const { output } = await installation.startWithoutWaiting();
    expect(
      output()
        .split('\n')
        .filter((line) => line.includes(warning)),
    ).toEqual([expect.stringMatching(/"level":"warn".*TLS_CERT_FILE and TLS_KEY_FILE, or set BASE_URL/)]);
  });

  it('does not warn behind a proxy that ends TLS', async () => {
    installation = await openTestInstallation({ HOST: '0.0.0.0', BASE_URL: 'https://pdf.example.com' });
    const { output } = await installation.startWithoutWaiting();
    expect(output()).not.toContain(warning);
  });
});
