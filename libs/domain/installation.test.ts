import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './decider.ts';
import { installation, type InstallationCommand, type InstallationState } from './installation.ts';

const create: InstallationCommand = { type: 'create', installationId: 'one', secretFingerprint: 'a' };
const after = (...commands: InstallationCommand[]): InstallationState =>
  commands.reduce(
    (state, command) => fold(installation, installation.decide(command, state), state),
    installation.initial,
  );
const typesOf = (command: InstallationCommand, state: InstallationState): string[] =>
  installation.decide(command, state).map(({ type }) => type);

describe('An installation', () => {
  it('is created once, and keeps its id', () => {
    expect(typesOf(create, after())).toEqual(['InstallationCreated']);
    expect(typesOf({ ...create, installationId: 'other' }, after(create))).toEqual([]);
  });

  it('has its secret rotated from the present one alone, and to another', () => {
    const rotate = (from: string, to: string): InstallationCommand => ({ type: 'rotateSecret', from, to });
    expect(after(create, rotate('a', 'b'))).toMatchObject({ secretFingerprint: 'b' });
    expect(typesOf(rotate('b', 'c'), after(create))).toEqual([]);
    expect(typesOf(rotate('a', 'a'), after(create))).toEqual([]);
  });

  it('has one blob store, which is marked once until it is replaced', () => {
    const [note, replace] = [
      { type: 'registerBlobStore', blobStoreId: 'one/a' },
      { type: 'replaceBlobStore' },
    ] as const;
    expect(typesOf(note, after(create))).toEqual(['BlobStoreRegistered']);
    expect(typesOf(note, after(create, note))).toEqual([]);
    expect(after(create, note, { ...note, blobStoreId: 'one/b' })).toMatchObject({ blobStoreId: 'one/a' });
    expect(typesOf(replace, after(create))).toEqual([]);
    expect(typesOf(note, after(create, note, replace))).toEqual(['BlobStoreRegistered']);
  });

  it('has nothing happen before it is created, and nothing twice in a row', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const commands = fc.oneof(
      fc.record({ type: fc.constant('create' as const), installationId: names, secretFingerprint: names }),
      fc.record({ type: fc.constant('rotateSecret' as const), from: names, to: names }),
      fc.record({ type: fc.constant('registerBlobStore' as const), blobStoreId: names }),
      fc.constant<InstallationCommand>({ type: 'replaceBlobStore' }),
    );
    fc.assert(
      fc.property(fc.array(commands), (all) => {
        const begun = all.findIndex(({ type }) => type === 'create');
        expect(after(...all.slice(0, Math.max(begun, 0)))).toEqual({ status: 'NONE' });
        const last = all.at(-1);
        if (last) expect(typesOf(last, after(...all))).toEqual([]);
      }),
    );
  });
});
