import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestInstallation, type TestInstallation } from '../support/service/installation.ts';

let installation: TestInstallation;
beforeAll(async () => void (installation = await openTestInstallation()));
afterAll(() => installation.remove());

describe('A wrong command says why and exits with 2', () => {
  const nobody = 'acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M';
  it.each([
    ['an unknown account', ['account', 'show', nobody], /no account acc_01K6ZC5B8Q4XJ0N9T2V7RWHE3M.*account list/],
    ['something that is no account', ['account', 'suspend', 'default', '--reason', 'x'], /no account default/],
    ['an unknown account to list keys of', ['key', 'list', '--account', nobody], /no account/],
    ['an unknown key', ['key', 'revoke', 'key_x'], /no key key_x/],
    ['an unknown plan', ['account', 'plan', nobody, 'gold'], /gold.*free, starter, pro, business, enterprise/],
    [
      'an unknown plan for a new account',
      ['account', 'create', '--name', 'x', '--plan', 'gold'],
      /gold.*free, starter, pro, business, enterprise/,
    ],
    [
      'an unknown permission',
      ['key', 'create', '--account', nobody, '--type', 'live', '--permissions', 'render:create,root'],
      /Unknown: root\..*render:create, templates:read/,
    ],
    ['an unknown kind of key', ['key', 'create', '--account', nobody, '--type', 'prod'], /prod.*live, test/],
    ['a suspension without a reason', ['account', 'suspend', nobody], /--reason/],
    ['an empty reason', ['account', 'suspend', nobody, '--reason', ' '], /one line of 1 to 200 characters/],
    ['a name of two lines', ['account', 'create', '--name', 'a\nb', '--plan', 'free'], /one line/],
    [
      'a limit of none',
      ['account', 'create', '--name', 'x', '--plan', 'free', '--requests-per-minute', '0'],
      /above 0/,
    ],
    [
      'a limit of a half',
      ['account', 'create', '--name', 'x', '--plan', 'free', '--requests-per-month', '1.5'],
      /whole number/,
    ],
    [
      'a day that is none',
      ['key', 'create', '--account', nobody, '--type', 'live', '--expires-at', '2030-02-31'],
      /ISO 8601/,
    ],
    ['a month that is none', ['key', 'list', '--account', nobody, '--period', '2030-13'], /YYYY-MM/],
    ['an unknown command', ['account', 'close', nobody], /unknown command/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await installation.runCommand(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('The help', () => {
  it.each([
    ['account'],
    ['account', 'create'],
    ['account', 'suspend'],
    ['account', 'plan'],
    ['key'],
    ['key', 'create'],
    ['key', 'list'],
  ])('of %s %s shows by example how it is used', async (...command) => {
    const { code, stdout } = await installation.runCommand(...command, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples:\\n\\s+\\$ colophon ${command[0]} `));
  });
});
