import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TemplateBody, TemplateEvent } from '#contracts/events/template.ts';
import { given } from './testing/given.ts';
import { template, type TemplateCommand, TemplateCommandError } from './template.ts';

const blob = { sha256: 'ab'.repeat(32), size: 10 };
const body = (name = 'Invoice'): TemplateBody => ({
  name,
  description: null,
  category: 'invoice',
  content: blob,
  settings: blob,
});
const create: TemplateCommand = { type: 'create', accountId: 'acc_1', body: body() };
const update = (expectedVersion: number | null = null): TemplateCommand => ({
  type: 'update',
  expectedVersion,
  body: body('Bill'),
  changes: 'name',
  restoredFrom: null,
});
const remove = (expectedVersion: number | null = null): TemplateCommand => ({ type: 'delete', expectedVersion });
const cancelReservation = (name: string): TemplateCommand => ({ type: 'cancelNameReservation', name });

const created: TemplateEvent = { type: 'TemplateCreated', data: { accountId: 'acc_1', body: body() } };
const versioned = (version: number): TemplateEvent => ({
  type: 'TemplateVersioned',
  data: { version, body: body('Bill'), changes: 'name', restoredFrom: null },
});
const deleted = (version: number): TemplateEvent => ({ type: 'TemplateDeleted', data: { version } });
const reservationCancelled = (name: string): TemplateEvent => ({
  type: 'TemplateNameReservationCancelled',
  data: { name },
});

const commandError = (reason: string, currentVersion: number | null = null) =>
  expect.objectContaining({ reason, currentVersion });
const resultOrError = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateCommandError);
    return error;
  }
};

describe('A template', () => {
  it('is created as version 1, and each update is the next version', () => {
    expect(given(template).when(create)).toEqual([created]);
    expect(given(template, created).when(update())).toEqual([versioned(2)]);
    expect(given(template, created, versioned(2)).when(update())).toEqual([versioned(3)]);
  });

  it('is updated and deleted only at the expected version', () => {
    expect(given(template, created, versioned(2)).when(update(2))).toEqual([versioned(3)]);
    expect(given(template, created, versioned(2)).when(remove(2))).toEqual([deleted(2)]);
    for (const command of [update(1), remove(1), update(3)]) {
      expect(resultOrError(() => given(template, created, versioned(2)).when(command))).toEqual(
        commandError('version_conflict', 2),
      );
    }
  });

  it('that does not exist, or was deleted, cannot be updated or deleted', () => {
    for (const history of [[], [created, deleted(1)], [reservationCancelled('Invoice')]]) {
      for (const command of [update(), remove()])
        expect(resultOrError(() => given(template, ...history).when(command))).toEqual(commandError('not_found'));
    }
  });

  it('that was deleted, or whose name reservation was cancelled, cannot be created', () => {
    for (const history of [[created, deleted(1)], [reservationCancelled('Invoice')]])
      expect(resultOrError(() => given(template, ...history).when(create))).toEqual(commandError('not_found'));
  });

  it('cancels the reservation of a name that it does not have', () => {
    expect(given(template).when(cancelReservation('Invoice'))).toEqual([reservationCancelled('Invoice')]);
    expect(given(template, created).when(cancelReservation('Bill'))).toEqual([reservationCancelled('Bill')]);
    expect(given(template, created).when(cancelReservation('Invoice'))).toEqual([]);
    expect(given(template, created, deleted(1)).when(cancelReservation('Invoice'))).toEqual([]);
  });

  it('has versions without a gap, after any commands', () => {
    const version = fc.option(fc.integer({ min: 1, max: 4 }));
    const command = fc.oneof(
      fc.constant(create),
      version.map(update),
      version.map(remove),
      fc.constantFrom('Invoice', 'Bill').map(cancelReservation),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const events: TemplateEvent[] = [];
        for (const one of commands) {
          const decided = resultOrError(() => given(template, ...events).when(one));
          if (Array.isArray(decided)) events.push(...(decided as TemplateEvent[]));
        }
        const versions = events.flatMap((event) =>
          event.type === 'TemplateCreated' ? [1] : event.type === 'TemplateVersioned' ? [event.data.version] : [],
        );
        expect(versions).toEqual(versions.map((_, index) => index + 1));
        const end = events.findIndex(({ type }) => type === 'TemplateDeleted');
        expect(end === -1 || end === events.length - 1).toBe(true);
      }),
    );
  });
});
