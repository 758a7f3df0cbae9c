import { beforeAll, describe, expect, it } from 'vitest';
import { issueKeyByCommand, type IssuedKey, openAccountByCommand } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { readStoredText } from '../support/service/stored-text.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { serviceForTestFile } from '../support/service/for-test-file.ts';

const at = serviceForTestFile();
let account: string;
beforeAll(async () => {
  account = await openAccountByCommand(at.installation, '--requests-per-minute', '100000');
});

type Listed = {
  id: string;
  prefix: string;
  name: string;
  type: string;
  state: string;
  revoked_at: string | null;
  expires_at: string | null;
  permissions: string[];
};
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

  it('are shown once and stored nowhere', async () => {
    const key = await issueKeyByCommand(at.installation, account);
    await renderWith(key);
    const files = await readStoredText(at.installation);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect(file.includes(key.key)).toBe(false);
    expect(at.service.output()).not.toContain(key.key);
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

describe('The command line without a service', () => {
  it('opens accounts and issues keys that work once the service starts', async () => {
    await at.service.stop('SIGTERM');
    const key = await issueKeyByCommand(at.installation, await openAccountByCommand(at.installation));
    at.service = await at.installation.start();
    expect((await renderWith(key)).status).toBe(200);
  });
});
