import { beforeAll, describe, expect, it } from 'vitest';
import { issueKeyByCommand, type IssuedKey, openAccountByCommand } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let account: string;
beforeAll(async () => {
  account = await openAccountByCommand(at.installation, '--requests-per-minute', '100000');
});

type Listed = { id: string; state: string; revoked_at: string | null };
const listed = async ({ id }: IssuedKey): Promise<Listed | undefined> =>
  (await at.installation.runJsonCommand<Listed[]>('key', 'list', '--account', account)).find((one) => one.id === id);
const renderWith = ({ key }: IssuedKey) => createClient(at.service.url, key).convert('html', '<p>x</p>');

describe('Keys on the command line, while the service runs', () => {
  it('work as soon as they are created', async () => {
    for (const type of ['live', 'test']) {
      const key = await issueKeyByCommand(at.installation, account, '--type', type, '--name', 'shop');
      expect(key.key).toMatch(new RegExp(`^svc_${type}_[0-9A-Za-z]{49}$`));
      expect((await renderWith(key)).status).toBe(200);
    }
  });

  it('are rejected as soon as they are revoked, with the time of the revocation', async () => {
    const key = await issueKeyByCommand(at.installation, account);
    expect((await renderWith(key)).status).toBe(200);
    await at.installation.runJsonCommand('key', 'revoke', key.id, '--reason', 'left on a train');
    const { revoked_at: revokedAt } = expectErrorResponse(await renderWith(key), 'revoked_api_key');
    expect(await listed(key)).toMatchObject({ state: 'revoked', revoked_at: revokedAt });
  });
});
