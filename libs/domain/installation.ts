import type { InstallationEvent } from '#contracts/events/installation.ts';
import type { Decider } from './decider.ts';

export type InstallationState =
  { status: 'NONE' } | { status: 'CREATED'; id: string; secretFingerprint: string; blobStoreId: string | null };

export type InstallationCommand =
  | { type: 'create'; installationId: string; secretFingerprint: string }
  /** `from` must be the fingerprint of the current secret. */
  | { type: 'rotateSecret'; from: string; to: string }
  | { type: 'registerBlobStore'; blobStoreId: string }
  | { type: 'replaceBlobStore' };

const evolve = (state: InstallationState, event: InstallationEvent): InstallationState => {
  switch (event.type) {
    case 'InstallationCreated':
      return {
        status: 'CREATED',
        id: event.data.installationId,
        secretFingerprint: event.data.secretFingerprint,
        blobStoreId: null,
      };
    case 'SecretRotated':
      return state.status === 'NONE' ? state : { ...state, secretFingerprint: event.data.to };
    case 'BlobStoreRegistered':
      return state.status === 'NONE' ? state : { ...state, blobStoreId: event.data.blobStoreId };
    case 'BlobStoreReplaced':
      return state.status === 'NONE' ? state : { ...state, blobStoreId: null };
    default:
      return event satisfies never;
  }
};

const decide = (command: InstallationCommand, state: InstallationState): InstallationEvent[] => {
  switch (command.type) {
    case 'create': {
      const { installationId, secretFingerprint } = command;
      return state.status === 'NONE'
        ? [{ type: 'InstallationCreated', data: { installationId, secretFingerprint } }]
        : [];
    }
    case 'rotateSecret': {
      const { from, to } = command;
      return state.status === 'CREATED' && state.secretFingerprint === from && from !== to
        ? [{ type: 'SecretRotated', data: { from, to } }]
        : [];
    }
    case 'registerBlobStore':
      return state.status === 'CREATED' && state.blobStoreId === null
        ? [{ type: 'BlobStoreRegistered', data: { blobStoreId: command.blobStoreId } }]
        : [];
    case 'replaceBlobStore':
      return state.status === 'CREATED' && state.blobStoreId !== null ? [{ type: 'BlobStoreReplaced', data: {} }] : [];
    default:
      return command satisfies never;
  }
};

/** The installation of an event log. It is created once, and has one secret and one blob store at a time. */
export const installation: Decider<InstallationState, InstallationCommand, InstallationEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
