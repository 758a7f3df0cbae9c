import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import type { Decider } from './decider.ts';

export type TemplateState =
  | { status: 'NONE' }
  | { status: 'ACTIVE'; accountId: string; version: number; body: TemplateBody }
  | { status: 'DELETED' };

export type TemplateCommand =
  | { type: 'create'; accountId: string; body: TemplateBody }
  | { type: 'update'; ifVersion: number | null; body: TemplateBody; changes: string; restoredFrom: number | null }
  | { type: 'delete'; ifVersion: number | null }
  | { type: 'forgoName'; name: string }
  | { type: 'abandon' };

export type Refusal = 'not_found' | 'version_conflict';

/** Why a template cannot take a command. `current` is its version, where it has one. */
export class TemplateRefusal extends Error {
  readonly refusal: Refusal;
  readonly current: number | null;

  constructor(refusal: Refusal, current: number | null = null) {
    super(refusal);
    this.refusal = refusal;
    this.current = current;
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
    case 'TemplateAbandoned':
    case 'TemplateNameForgone':
      return state.status === 'NONE' ? { status: 'DELETED' } : state;
    default:
      return event satisfies never;
  }
};

const active = (state: TemplateState, ifVersion: number | null): Extract<TemplateState, { status: 'ACTIVE' }> => {
  if (state.status !== 'ACTIVE') throw new TemplateRefusal('not_found');
  if (ifVersion !== null && ifVersion !== state.version) throw new TemplateRefusal('version_conflict', state.version);
  return state;
};

const decide = (command: TemplateCommand, state: TemplateState): TemplateEvent[] => {
  switch (command.type) {
    case 'create':
      if (state.status !== 'NONE') throw new TemplateRefusal('not_found');
      return [{ type: 'TemplateCreated', data: { accountId: command.accountId, body: command.body } }];
    case 'update': {
      const { version } = active(state, command.ifVersion);
      const { body, changes, restoredFrom } = command;
      return [{ type: 'TemplateVersioned', data: { version: version + 1, body, changes, restoredFrom } }];
    }
    case 'delete':
      return [{ type: 'TemplateDeleted', data: { version: active(state, command.ifVersion).version } }];
    case 'forgoName':
      if (state.status === 'DELETED' || (state.status === 'ACTIVE' && state.body.name === command.name)) return [];
      return [{ type: 'TemplateNameForgone', data: { name: command.name } }];
    case 'abandon':
      return state.status === 'NONE' ? [{ type: 'TemplateAbandoned', data: {} }] : [];
    default:
      return command satisfies never;
  }
};

/** One template: created once, each update a version, deleted for good. @throws TemplateRefusal */
export const template: Decider<TemplateState, TemplateCommand, TemplateEvent> = { initial: { status: 'NONE' }, evolve, decide };
