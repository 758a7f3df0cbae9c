import { beforeAll, describe, expect, it } from 'vitest';
import { issueKeyByCommand, type IssuedKey, openAccount } from '../support/service/accounts.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
let account: string;
beforeAll(async () => {
  account = await openAccount(at.installation);
});

type Listed = {
  id: string;
  prefix: string;
  name: string;
  type: string;
  state: string;
  expires_at: string | null;
  permissions: string[];
};
const listed = async ({ id }: IssuedKey): Promise<Listed | undefined> =>
  (await at.installation.runJsonCommand<Listed[]>('key', 'list', '--account', account)).find((one) => one.id === id);

describe('Keys on the command line', () => {
  it('can be revoked twice', async () => {
    const key = await issueKeyByCommand(at.installation, account);
    await at.installation.runJsonCommand('key', 'revoke', key.id);
    const { code, stdout } = await at.installation.runCommand('key', 'revoke', key.id);
    expect([code, stdout]).toEqual([0, expect.stringContaining('was already revoked')]);
  });

  it('are listed with all their fields, but without the secret', async () => {
    const key = await issueKeyByCommand(
      at.installation,
      account,
      '--name',
      'archive',
      '--permissions',
      'jobs:read',
      '--expires-at',
      '2099-01-01',
    );
    const list = await at.installation.runCommand('--json', 'key', 'list', '--account', account);
    expect(list.stdout).not.toContain(key.key);
    expect(await listed(key)).toMatchObject({
      name: 'archive',
      type: 'live',
      state: 'active',
      permissions: ['jobs:read'],
      expires_at: '2099-01-01T00:00:00.000Z',
      prefix: key.prefix,
    });
    expect(key.key.startsWith(key.prefix)).toBe(true);
    expect(key.prefix.length).toBeLessThan(20);
  });

  it('are not created for an unknown account, or with an unknown permission, type or expiry', async () => {
    for (const wrong of [
      ['key', 'create', '--account', 'acc_01ARZ3NDEKTSV4RRFFQ69G5FAV', '--type', 'live'],
      ['key', 'create', '--account', account, '--type', 'live', '--permissions', 'render:create,everything'],
      ['key', 'create', '--account', account, '--type', 'gold'],
      ['key', 'create', '--account', account, '--type', 'live', '--expires-at', 'soon'],
      ['key', 'revoke', 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
      ['key', 'list', '--account', 'nobody'],
    ]) {
      const { code, stdout, stderr } = await at.installation.runCommand(...wrong);
      expect([code === 0, stdout]).toEqual([false, '']);
      expect(stderr).toMatch(/\S/);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
