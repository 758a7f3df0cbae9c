import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { BlobNotFound, type BlobStore } from '#libs/blob-store/port.ts';
import {
  type ContractCases,
  describeContract,
  requireAbility,
  type EngineUnderTest,
} from '../support/contract/describe-contract.ts';
import { installationIdCases } from './installation-id.ts';

/** `corrupt` changes a byte of a stored blob without the engine; `another` opens the same storage again. */
export type OpenedBlobStore = EngineUnderTest<BlobStore> & {
  corrupt?: (sha256: string) => Promise<void>;
  another?: () => Promise<BlobStore>;
};

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
const small = 1_000;
const large = 300_000;
const nowhere = sha256Of(Buffer.from('never put'));

const cases: ContractCases<OpenedBlobStore> = {
  ...installationIdCases,

  'a blob of any size is stored by its SHA-256 and read byte for byte': async ({ engine }) => {
    for (const size of [0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 255 * 1024, 20 * 1024 * 1024]) {
      const bytes = randomBytes(size);
      const ref = await engine.put(bytes);
      expect(ref, `${size} bytes`).toEqual({ sha256: sha256Of(bytes), size });
      expect(same(await engine.get(ref.sha256), bytes), `${size} bytes`).toBe(true);
      expect(await engine.has(ref.sha256)).toBe(true);
    }
  },

  'of a slice of a larger buffer only the slice is stored': async ({ engine }) => {
    const whole = randomBytes(2 * large);
    for (const part of [whole.subarray(10, 10 + small), whole.subarray(10, 10 + large)]) {
      const { sha256, size } = await engine.put(part);
      expect(size).toBe(part.byteLength);
      expect(same(await engine.get(sha256), part)).toBe(true);
    }
  },

  'a small blob has the bytes at the call of put, even if the buffer changes later': async ({ engine }) => {
    const bytes = randomBytes(small);
    const before = Buffer.from(bytes);
    const putting = engine.put(bytes);
    bytes.fill(0);
    expect(same(await engine.get((await putting).sha256), before)).toBe(true);
  },

  'equal bytes are one blob': async ({ engine }) => {
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      expect(await engine.put(bytes)).toEqual(await engine.put(Buffer.from(bytes)));
      expect(same(await engine.get(sha256Of(bytes)), bytes)).toBe(true);
    }
  },

  'parallel writes of equal bytes are one blob': async ({ engine }) => {
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      const refs = await Promise.all(Array.from({ length: 10 }, () => engine.put(bytes)));
      expect(new Set(refs.map(({ sha256 }) => sha256)).size).toBe(1);
      expect(same(await engine.get(refs[0]!.sha256), bytes)).toBe(true);
    }
  },

  'parallel writes of different blobs do not mix': async ({ engine }) => {
    const all = Array.from({ length: 20 }, (_, number) => randomBytes(number % 2 ? small : large));
    const refs = await Promise.all(all.map((bytes) => engine.put(bytes)));
    for (const [index, bytes] of all.entries()) expect(same(await engine.get(refs[index]!.sha256), bytes)).toBe(true);
  },

  'a blob that was never stored is not found': async ({ engine }) => {
    await expect(engine.get(nowhere)).rejects.toThrow(BlobNotFound);
    expect(await engine.has(nowhere)).toBe(false);
  },

  'a name that is not a SHA-256 is not found, and affects no other blob': async ({ engine }) => {
    const { sha256 } = await engine.put(randomBytes(large));
    for (const name of [
      '',
      '..',
      '../installation-id',
      `${sha256.slice(0, 2)}/${sha256}`,
      sha256.toUpperCase(),
      `${sha256}0`,
      '\u0000',
    ]) {
      await expect(engine.get(name), `name ${name}`).rejects.toThrow(BlobNotFound);
      expect(await engine.has(name), `name ${name}`).toBe(false);
      await engine.delete(name);
    }
    expect(await engine.has(sha256)).toBe(true);
  },

  'a deleted blob is not found until it is stored again': async ({ engine }) => {
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      const { sha256 } = await engine.put(bytes);
      await engine.delete(sha256);
      await expect(engine.get(sha256)).rejects.toThrow(BlobNotFound);
      expect(await engine.has(sha256)).toBe(false);
      await engine.put(bytes);
      expect(same(await engine.get(sha256), bytes)).toBe(true);
    }
  },

  'a blob that was stored again since a time is not deleted': async ({ engine }) => {
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      const { sha256 } = await engine.put(bytes);
      const before = new Date(Date.now() + 1);
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(before.getTime());
      await engine.put(bytes);
      expect(await engine.delete(sha256, before)).toBe(false);
      expect(same(await engine.get(sha256), bytes)).toBe(true);
      expect(await engine.delete(sha256, new Date(Date.now() + 60_000))).toBe(true);
      expect(await engine.has(sha256)).toBe(false);
    }
    expect(await engine.delete(nowhere, new Date())).toBe(true);
  },

  'deleting a missing blob is no error and deletes no other blob': async ({ engine }) => {
    const { sha256 } = await engine.put(randomBytes(small));
    await engine.delete(nowhere);
    await engine.delete(nowhere);
    expect(await engine.has(sha256)).toBe(true);
  },

  'a damaged blob is not found': async ({ engine, corrupt }, skip) => {
    const damage = requireAbility(corrupt, 'way to damage a blob', skip);
    for (const size of [small, large]) {
      const { sha256 } = await engine.put(randomBytes(size));
      await damage(sha256);
      await expect(engine.get(sha256), `${size} bytes`).rejects.toThrow(BlobNotFound);
    }
  },

  'storing a damaged blob again repairs it': async ({ engine, corrupt }, skip) => {
    const damage = requireAbility(corrupt, 'way to damage a blob', skip);
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      const { sha256 } = await engine.put(bytes);
      await damage(sha256);
      await engine.put(bytes);
      expect(same(await engine.get(sha256), bytes), `${size} bytes`).toBe(true);
    }
  },

  'a blob of one instance is visible to another': async ({ engine, another }, skip) => {
    const other = await requireAbility(another, 'second instance', skip)();
    for (const size of [small, large]) {
      const bytes = randomBytes(size);
      const { sha256 } = await engine.put(bytes);
      expect(same(await other.get(sha256), bytes)).toBe(true);
      await other.delete(sha256);
      expect(await engine.has(sha256)).toBe(false);
    }
  },

  'all blobs remain after reopening': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const all = [randomBytes(small), randomBytes(large)];
    for (const bytes of all) await engine.put(bytes);
    const again = await open();
    for (const bytes of all) expect(same(await again.get(sha256Of(bytes)), bytes)).toBe(true);
  },

  'close waits for running writes and rejects later ones': async ({ engine, reopen }, skip) => {
    const open = requireAbility(reopen, 'lasting storage', skip);
    const all = Array.from({ length: 20 }, () => randomBytes(small));
    const putting = Promise.all(all.map((bytes) => engine.put(bytes)));
    await engine.close();
    await engine.close();
    await putting;
    await expect(engine.put(randomBytes(small))).rejects.toThrow();
    const again = await open();
    for (const bytes of all) expect(await again.has(sha256Of(bytes))).toBe(true);
  },
};

/** The contract of the blob store. `open` returns an empty store each time. */
export const describeBlobStoreContract = (name: string, open: () => Promise<OpenedBlobStore>): void =>
  describeContract(`${name} as a blob store`, open, cases);
