import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openAccount } from '../support/service/accounts.ts';
import { openTestInstallation, type TestInstallation } from '../support/service/installation.ts';

let installation: TestInstallation;
beforeAll(async () => {
  installation = await openTestInstallation();
  await openAccount(installation);
});
afterAll(() => installation.remove());

describe('A command with invalid arguments prints the reason and exits with code 2:', () => {
  const unknownAccount = 'acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M';
  it.each([
    [
      'an unknown account',
      ['account', 'show', unknownAccount],
      /no account acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M.*account list/,
    ],
    ['an invalid account id', ['account', 'suspend', 'default', '--reason', 'x'], /no account default/],
    ['an unknown account to list keys of', ['key', 'list', '--account', unknownAccount], /no account/],
    ['an unknown key', ['key', 'revoke', 'key_x'], /no key key_x/],
    ['an unknown plan', ['account', 'plan', unknownAccount, 'gold'], /gold.*free, starter, pro, business, enterprise/],
    [
      'an unknown plan for a new account',
      ['account', 'create', '--name', 'x', '--plan', 'gold'],
      /gold.*free, starter, pro, business, enterprise/,
    ],
    [
      'an unknown permission',
      ['key', 'create', '--account', unknownAccount, '--type', 'live', '--permissions', 'render:create,root'],
      /Unknown: root\..*render:create, templates:read/,
    ],
    ['an unknown kind of key', ['key', 'create', '--account', unknownAccount, '--type', 'prod'], /prod.*live, test/],
    ['a suspension without a reason', ['account', 'suspend', unknownAccount], /--reason/],
    ['an empty reason', ['account', 'suspend', unknownAccount, '--reason', ' '], /one line of 1 to 200 characters/],
    ['a name of two lines', ['account', 'create', '--name', 'a\nb', '--plan', 'free'], /one line/],
    [
      'an invalid date',
      ['key', 'create', '--account', unknownAccount, '--type', 'live', '--expires-at', '2030-02-31'],
      /ISO 8601/,
    ],
    ['an invalid month', ['key', 'list', '--account', unknownAccount, '--period', '2030-13'], /YYYY-MM/],
    ['a cursor of no list', ['renders', '--cursor', 'last'], /--cursor.*cursor that a list ended with/],
    ['an unknown command', ['account', 'close', unknownAccount], /unknown command/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await installation.runCommand(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('A limit of an account', () => {
  it.each([
    ['--requests-per-minute', '0', 'a whole number from 1 to 1000000000'],
    ['--requests-per-month', '1.5', 'a whole number from 1 to 1000000000'],
    ['--requests-per-month', '1e10', 'a whole number from 1 to 1000000000'],
    ['--max-pdf-mb', '9999999999', 'a number from 0.01 to 100000'],
    ['--max-pdf-mb', '1e-300', 'a number from 0.01 to 100000'],
  ])('%s cannot be %s', async (...[option, value, message]) => {
    const create = ['account', 'create', '--name', 'x', '--plan', 'free', option, value];
    for (const args of [create, ['account', 'plan', 'x', 'free', option, value]])
      expect(await installation.runCommand(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      });
  });
});

describe('The help', () => {
  it('of a command in a group is that of the command itself', async () => {
    const [named, own] = await Promise.all([
      installation.runCommand('help', 'template', 'push'),
      installation.runCommand('template', 'push', '--help'),
    ]);
    expect(named.code).toBe(0);
    expect(named.stdout).toMatch(/^Usage: colophon template push/);
    expect(named.stdout).toBe(own.stdout);
  });

  it.each([
    ['account'],
    ['account', 'create'],
    ['account', 'suspend'],
    ['account', 'plan'],
    ['key'],
    ['key', 'create'],
    ['key', 'list'],
  ])('of %s %s has examples', async (...command) => {
    const { code, stdout } = await installation.runCommand(...command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\\n\\s+\\$ colophon ${command[0]} `));
  });
});

it.each([
  ['renders'],
  ['account', 'list'],
  ['key', 'list', '--account', 'tests'],
  ['template', 'list'],
  ['operator', 'list'],
  ['dashboard'],
  ['events', 'render_x'],
  ['installation', 'show'],
  ['installation', 'accept-secret'],
  ['check'],
])('In a folder without an installation, %s %s is refused and creates no files', async (...command) => {
  const empty = await openTestInstallation();
  onTestFinished(empty.remove);
  const { code, stderr } = await empty.runCommand(...command);
  expect(stderr).toContain(`There is no event log ${join(empty.dataDir, 'log.db')}. Set COLOPHON_DATA_DIR`);
  expect(code).toBe(2);
  expect(await readdir(empty.dataDir)).toEqual([]);
});
