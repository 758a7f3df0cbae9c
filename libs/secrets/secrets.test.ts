import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkDownloadToken, createDownloadToken } from './download-token.ts';
import { createSecretFile, loadInstallationSecrets, readSecretFile, confirmSecretFile } from './secret-file.ts';
import { fingerprintOf } from './installation-secret.ts';
import { webhookSecrets } from './webhook-secret.ts';

const secret = Buffer.alloc(32, 1);
const secrets = { current: secret, previous: [] };
const until = new Date('2026-03-02T10:00:00.900Z');
const before = new Date('2026-03-02T09:59:59.999Z');

describe('a download token', () => {
  test('opens one render until its second, and is expired from then on', () => {
    const token = createDownloadToken(secret, 'a', until);
    expect(checkDownloadToken(secrets, 'a', token, before)).toBe('valid');
    expect(checkDownloadToken(secrets, 'a', token, new Date('2026-03-02T10:00:00.000Z'))).toBe('expired');
    expect(checkDownloadToken(secrets, 'b', token, before)).toBe('wrong');
    expect(checkDownloadToken({ current: Buffer.alloc(32, 2), previous: [] }, 'a', token, before)).toBe('wrong');
  });

  test('is wrong once any character of it is another, and never raises an error', () => {
    const token = createDownloadToken(secret, 'a', until);
    fc.assert(
      fc.property(fc.nat(token.length - 2), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(token[at] !== character);
        expect(checkDownloadToken(secrets, 'a', token.slice(0, at) + character + token.slice(at + 1), before)).toBe(
          'wrong',
        );
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => checkDownloadToken(secrets, 'a', text, before) === 'wrong'));
  });
});

test('a download token of a former secret opens as long as that secret is configured', () => {
  const token = createDownloadToken(secret, 'a', until);
  expect(
    checkDownloadToken({ current: Buffer.alloc(32, 2), previous: [Buffer.alloc(32, 3), secret] }, 'a', token, before),
  ).toBe('valid');
});

describe("an account's webhook secret", () => {
  const account = (generation: number, rotatedAt: string | null) => ({
    id: 'A',
    webhookSecret: { generation, rotatedAt },
  });

  test('is the same as long as it is not rotated, and differs between accounts and generations', () => {
    const [first] = webhookSecrets(secrets, account(1, null), before);
    expect(webhookSecrets(secrets, account(1, null), until)).toEqual([first]);
    expect(webhookSecrets(secrets, { ...account(1, null), id: 'B' }, before)).not.toEqual([first]);
    expect(webhookSecrets(secrets, account(2, '2020-01-01T00:00:00.000Z'), before)).not.toEqual([first]);
  });

  test('signs beside the new one for 24 hours after a rotation, to the millisecond', () => {
    const [former] = webhookSecrets(secrets, account(1, null), before);
    const at = (time: string) => webhookSecrets(secrets, account(2, '2026-03-01T08:00:00.000Z'), new Date(time));
    expect(at('2026-03-02T07:59:59.999Z')).toEqual([expect.any(String), former]);
    expect(at('2026-03-02T08:00:00.000Z')).toHaveLength(1);
  });
});

test('after a new secret of the installation the former one signs too, as long as it is configured', () => {
  const account = { id: 'A', webhookSecret: { generation: 1, rotatedAt: null } };
  const [former] = webhookSecrets(secrets, account, before);
  expect(webhookSecrets({ current: Buffer.alloc(32, 2), previous: [secret] }, account, before)).toEqual([
    expect.not.stringMatching(former),
    former,
  ]);
});

describe("the service's secret", () => {
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'secret-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  };

  const settingsOf = (dataDir: string, secret?: string, ...previousSecrets: string[]) => ({
    secret,
    previousSecrets,
    dataDir,
  });

  test('is made for this user alone, and is in its place once it is known to be the right one', () => {
    const dataDir = folder();
    const [made, other] = [createSecretFile(dataDir), createSecretFile(dataDir)];
    expect(made.byteLength).toBe(32);
    expect(other).not.toEqual(made);
    expect(readSecretFile(dataDir)).toBeNull();
    expect(confirmSecretFile(dataDir, fingerprintOf(made))).toEqual(made);
    expect(readSecretFile(dataDir)).toEqual(made);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('takes the place of an empty one and of a part of one, never of a whole one', () => {
    for (const left of ['', 'short', 'A'.repeat(42)]) {
      const dataDir = folder();
      writeFileSync(join(dataDir, 'secret.key'), left);
      expect(readSecretFile(dataDir)).toBeNull();
      const made = createSecretFile(dataDir);
      expect(confirmSecretFile(dataDir, fingerprintOf(made))).toEqual(made);
      expect(confirmSecretFile(dataDir, fingerprintOf(createSecretFile(dataDir)))).toEqual(made);
    }
  });

  test('is the configured one where there is one, and nothing is written', () => {
    const dataDir = folder();
    expect(loadInstallationSecrets(settingsOf(dataDir, 'x'.repeat(32))).current).toEqual(Buffer.from('x'.repeat(32)));
    expect(readdirSync(dataDir)).toEqual([]);
    expect(() => loadInstallationSecrets(settingsOf(dataDir))).toThrow('secret.key is not there');
  });

  test('can be the content of a secret.key, as a setting, and so can former ones', () => {
    const dataDir = folder();
    const made = createSecretFile(dataDir);
    confirmSecretFile(dataDir, fingerprintOf(made));
    const content = `base64:${readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()}`;
    expect(loadInstallationSecrets(settingsOf(folder(), content)).current).toEqual(made);
    expect(loadInstallationSecrets(settingsOf(dataDir, 'x'.repeat(32), content)).previous).toEqual([made]);
  });

  test('has a fingerprint, which is its own and always the same', () => {
    expect(fingerprintOf(secret)).toBe(fingerprintOf(Buffer.alloc(32, 1)));
    expect(fingerprintOf(secret)).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprintOf(Buffer.alloc(32, 2))).not.toBe(fingerprintOf(secret));
  });
});
