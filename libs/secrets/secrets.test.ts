import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkDownloadToken, createDownloadToken } from './download-token.ts';
import { createSecretFile, loadInstallationSecrets, readSecretFile, confirmSecretFile } from './secret-file.ts';
import { fingerprintOf } from './installation-secret.ts';
import { signingSecrets } from './webhook-secret.ts';

const secret = Buffer.alloc(32, 1);
const secrets = { current: secret, previous: [] };
const until = new Date('2026-03-02T10:00:00.900Z');
const before = new Date('2026-03-02T09:59:59.999Z');

describe('A download token', () => {
  test('is valid for one render until its expiry second', () => {
    const token = createDownloadToken(secret, 'a', until);
    expect(checkDownloadToken(secrets, 'a', token, before)).toBe('valid');
    expect(checkDownloadToken(secrets, 'a', token, new Date('2026-03-02T10:00:00.000Z'))).toBe('expired');
    expect(checkDownloadToken(secrets, 'b', token, before)).toBe('invalid');
    expect(checkDownloadToken({ current: Buffer.alloc(32, 2), previous: [] }, 'a', token, before)).toBe('invalid');
  });

  test('is invalid when a character has changed, and never causes an error', () => {
    const token = createDownloadToken(secret, 'a', until);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(token[at] !== character);
        expect(checkDownloadToken(secrets, 'a', token.slice(0, at) + character + token.slice(at + 1), before)).toBe(
          'invalid',
        );
      }),
    );
    // Its last character has two bits that the bytes do not need.
    const [last] = token.slice(-1);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameBytes = alphabet[alphabet.indexOf(last!) ^ 1]!;
    expect(checkDownloadToken(secrets, 'a', token.slice(0, -1) + sameBytes, before)).toBe('invalid');
    fc.assert(fc.property(fc.string(), (text) => checkDownloadToken(secrets, 'a', text, before) === 'invalid'));
  });
});

test('A download token of a previous secret is valid while that secret is configured', () => {
  const token = createDownloadToken(secret, 'a', until);
  expect(
    checkDownloadToken({ current: Buffer.alloc(32, 2), previous: [Buffer.alloc(32, 3), secret] }, 'a', token, before),
  ).toBe('valid');
});

describe("An account's webhook secret", () => {
  const account = (generation: number, ...previous: [generation: number, validUntil: string][]) => ({
    id: 'A',
    webhookSecret: {
      generation,
      previous: previous.map(([number, validUntil]) => ({ generation: number, validUntil })),
    },
  });

  test('stays the same until it is rotated, and differs between accounts and generations', () => {
    const [first] = signingSecrets(secrets, account(1), before);
    expect(signingSecrets(secrets, account(1), until)).toEqual([first]);
    expect(signingSecrets(secrets, { ...account(1), id: 'B' }, before)).not.toEqual([first]);
    expect(signingSecrets(secrets, account(2), before)).not.toEqual([first]);
  });

  test('also signs until its own end after each of two rotations, to the millisecond', () => {
    const [first] = signingSecrets(secrets, account(1), before);
    const [second] = signingSecrets(secrets, account(2), before);
    const [third] = signingSecrets(secrets, account(3), before);
    const rotatedTwice = account(3, [2, '2026-03-02T09:00:00.000Z'], [1, '2026-03-02T08:00:00.000Z']);
    const at = (time: string) => signingSecrets(secrets, rotatedTwice, new Date(time));
    expect(at('2026-03-02T07:59:59.999Z')).toEqual([third, second, first]);
    expect(at('2026-03-02T08:00:00.000Z')).toEqual([third, second]);
    expect(at('2026-03-02T09:00:00.000Z')).toEqual([third]);
  });

  test('of a previous installation secret also signs while that is configured', () => {
    const [previous] = signingSecrets(secrets, account(1), before);
    expect(signingSecrets({ current: Buffer.alloc(32, 2), previous: [secret] }, account(1), before)).toEqual([
      expect.not.stringMatching(previous),
      previous,
    ]);
  });
});

describe('The installation secret', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'secret-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };

  const settingsOf = (dataDir: string, secret?: string, ...previousSecrets: string[]) => ({
    secret,
    previousSecrets,
    dataDir,
  });

  test('is created for this user only, and becomes secret.key when it is confirmed', () => {
    const dataDir = folder();
    const [created, other] = [createSecretFile(dataDir), createSecretFile(dataDir)];
    expect(created.byteLength).toBe(32);
    expect(other).not.toEqual(created);
    expect(readSecretFile(dataDir)).toBeNull();
    expect(confirmSecretFile(dataDir, fingerprintOf(created))).toEqual(created);
    expect(readSecretFile(dataDir)).toEqual(created);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  test('replaces an empty or incomplete one, never a complete one', () => {
    for (const content of ['', 'short', 'A'.repeat(42)]) {
      const dataDir = folder();
      writeFileSync(join(dataDir, 'secret.key'), content);
      expect(readSecretFile(dataDir)).toBeNull();
      const created = createSecretFile(dataDir);
      expect(confirmSecretFile(dataDir, fingerprintOf(created))).toEqual(created);
      const other = fingerprintOf(createSecretFile(dataDir));
      expect(confirmSecretFile(dataDir, other)).toEqual(created);
      // It may be the secret of the event log that this process found.
      expect(readdirSync(dataDir).toSorted()).toEqual(['secret.key', `secret.key.${other}`]);
    }
  });

  test('is the configured one if there is one, and nothing is written', () => {
    const dataDir = folder();
    expect(loadInstallationSecrets(settingsOf(dataDir, 'x'.repeat(32))).current).toEqual(Buffer.from('x'.repeat(32)));
    expect(readdirSync(dataDir)).toEqual([]);
    expect(() => loadInstallationSecrets(settingsOf(dataDir))).toThrow('secret.key is missing');
  });

  test('can be set to the content of a secret.key, and so can previous secrets', () => {
    const dataDir = folder();
    const created = createSecretFile(dataDir);
    confirmSecretFile(dataDir, fingerprintOf(created));
    const content = `base64:${readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()}`;
    expect(loadInstallationSecrets(settingsOf(folder(), content)).current).toEqual(created);
    expect(loadInstallationSecrets(settingsOf(dataDir, 'x'.repeat(32), content)).previous).toEqual([created]);
  });

  test('has a fingerprint that is unique and always the same', () => {
    expect(fingerprintOf(secret)).toBe(fingerprintOf(Buffer.alloc(32, 1)));
    expect(fingerprintOf(secret)).toMatch(/^[0-9a-f]{16}$/);
    expect(fingerprintOf(Buffer.alloc(32, 2))).not.toBe(fingerprintOf(secret));
  });
});
