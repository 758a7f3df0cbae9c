import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

export type TemplateState =
  | { status: 'NONE' }
  | { status: 'ACTIVE'; accountId: string; version: number; body: TemplateBody }
  | { status: 'DELETED' };

export type TemplateCommand =
  | { type: 'create'; accountId: string; body: TemplateBody }
  | { type: 'update'; expectedVersion: number | null; body: TemplateBody; changes: string; restoredFrom: number | null }
  | { type: 'delete'; expectedVersion: number | null }
  | { type: 'cancelNameReservation'; name: string }
  | { type: 'cancelCreation' };

export type TemplateErrorReason = 'not_found' | 'version_conflict';

/** A command was rejected. `currentVersion` is set for version_conflict. */
export class TemplateCommandError extends Error {
  readonly reason: TemplateErrorReason;
  readonly currentVersion: number | null;

  constructor(reason: TemplateErrorReason, currentVersion: number | null = null) {
    super(reason);
    this.reason = reason;
    this.currentVersion = currentVersion;
  }
}

const evolve = (state: TemplateState, event: TemplateEvent): TemplateState => {
  switch (event.type) {
    case 'TemplateCreated':
      return { status: 'ACTIVE', accountId: event.data.accountId, version: 1, body: event.data.body };
    case 'TemplateVersioned':
      return state.status === 'ACTIVE' ? { ...state, version: event.data.version, body: event.data.body } : state;
    case 'TemplateDeleted':
      return { status: 'DELETED' };
    case 'TemplateCreationCancelled':
    case 'TemplateNameReservationCancelled':
      return state.status === 'NONE' ? { status: 'DELETED' } : state;
    default:
      return event satisfies never;
  }
};

const requireActive = (
  state: TemplateState,
  expectedVersion: number | null,
): Extract<TemplateState, { status: 'ACTIVE' }> => {
  if (state.status !== 'ACTIVE') throw new TemplateCommandError('not_found');
  if (expectedVersion !== null && expectedVersion !== state.version)
    throw new TemplateCommandError('version_conflict', state.version);
  return state;
};

const decide = (command: TemplateCommand, state: TemplateState): TemplateEvent[] => {
  switch (command.type) {
    case 'create':
      if (state.status !== 'NONE') throw new TemplateCommandError('not_found');
      return [{ type: 'TemplateCreated', data: { accountId: command.accountId, body: command.body } }];
    case 'update': {
      const { version } = requireActive(state, command.expectedVersion);
      const { body, changes, restoredFrom } = command;
      return [{ type: 'TemplateVersioned', data: { version: version + 1, body, changes, restoredFrom } }];
    }
    case 'delete':
      return [{ type: 'TemplateDeleted', data: { version: requireActive(state, command.expectedVersion).version } }];
    case 'cancelNameReservation':
      if (state.status === 'DELETED' || (state.status === 'ACTIVE' && state.body.name === command.name)) return [];
      return [{ type: 'TemplateNameReservationCancelled', data: { name: command.name } }];
    case 'cancelCreation':
      return state.status === 'NONE' ? [{ type: 'TemplateCreationCancelled', data: {} }] : [];
    default:
      return command satisfies never;
  }
};

/** A template is created once; each update is a new version; a deletion is final. @throws TemplateCommandError */
export const template: Decider<TemplateState, TemplateCommand, TemplateEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
