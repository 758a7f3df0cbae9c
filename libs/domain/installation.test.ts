import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './decider.ts';
import { installation, type InstallationCommand, type InstallationState } from './installation.ts';

const create: InstallationCommand = { type: 'create', installationId: 'one', secretFingerprint: 'a' };
const stateAfter = (...commands: InstallationCommand[]): InstallationState =>
  commands.reduce(
    (state, command) => fold(installation, installation.decide(command, state), state),
    installation.initial,
  );
const typesOf = (command: InstallationCommand, state: InstallationState): string[] =>
  installation.decide(command, state).map(({ type }) => type);

describe('An installation', () => {
  it('is created once, and keeps its id', () => {
    expect(typesOf(create, stateAfter())).toEqual(['InstallationCreated']);
    expect(typesOf({ ...create, installationId: 'other' }, stateAfter(create))).toEqual([]);
  });

  it('rotates its secret only from the current one to another one', () => {
    const rotate = (from: string, to: string): InstallationCommand => ({ type: 'rotateSecret', from, to });
    expect(stateAfter(create, rotate('a', 'b'))).toMatchObject({ secretFingerprint: 'b' });
    expect(typesOf(rotate('b', 'c'), stateAfter(create))).toEqual([]);
    expect(typesOf(rotate('a', 'a'), stateAfter(create))).toEqual([]);
  });

  it('has one blob store, which can be registered again only after it was replaced', () => {
    const [register, replace] = [
      { type: 'registerBlobStore', blobStoreId: 'one/a' },
      { type: 'replaceBlobStore' },
    ] as const;
    expect(typesOf(register, stateAfter(create))).toEqual(['BlobStoreRegistered']);
    expect(typesOf(register, stateAfter(create, register))).toEqual([]);
    expect(stateAfter(create, register, { ...register, blobStoreId: 'one/b' })).toMatchObject({ blobStoreId: 'one/a' });
    expect(typesOf(replace, stateAfter(create))).toEqual([]);
    expect(typesOf(register, stateAfter(create, register, replace))).toEqual(['BlobStoreRegistered']);
  });

  it('ignores commands before its creation, and repeated commands', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const commands = fc.oneof(
      fc.record({ type: fc.constant('create' as const), installationId: names, secretFingerprint: names }),
      fc.record({ type: fc.constant('rotateSecret' as const), from: names, to: names }),
      fc.record({ type: fc.constant('registerBlobStore' as const), blobStoreId: names }),
      fc.constant<InstallationCommand>({ type: 'replaceBlobStore' }),
    );
    fc.assert(
      fc.property(fc.array(commands), (all) => {
        const created = all.findIndex(({ type }) => type === 'create');
        expect(stateAfter(...all.slice(0, Math.max(created, 0)))).toEqual({ status: 'NONE' });
        const last = all.at(-1);
        if (last) expect(typesOf(last, stateAfter(...all))).toEqual([]);
      }),
    );
  });
});
