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
const forgo = (name: string): TemplateCommand => ({ type: 'cancelNameReservation', name });

const created: TemplateEvent = { type: 'TemplateCreated', data: { accountId: 'acc_1', body: body() } };
const versioned = (version: number): TemplateEvent => ({
  type: 'TemplateVersioned',
  data: { version, body: body('Bill'), changes: 'name', restoredFrom: null },
});
const deleted = (version: number): TemplateEvent => ({ type: 'TemplateDeleted', data: { version } });
const forgone = (name: string): TemplateEvent => ({ type: 'TemplateNameReservationCancelled', data: { name } });

const refused = (reason: string, currentVersion: number | null = null) =>
  expect.objectContaining({ reason, currentVersion });
const refusalOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateCommandError);
    return error;
  }
};

describe('a template', () => {
  it('is created as version 1, and each update is the next', () => {
    expect(given(template).when(create)).toEqual([created]);
    expect(given(template, created).when(update())).toEqual([versioned(2)]);
    expect(given(template, created, versioned(2)).when(update())).toEqual([versioned(3)]);
  });

  it('is updated and deleted only at the version that the caller means', () => {
    expect(given(template, created, versioned(2)).when(update(2))).toEqual([versioned(3)]);
    expect(given(template, created, versioned(2)).when(remove(2))).toEqual([deleted(2)]);
    for (const command of [update(1), remove(1), update(3)]) {
      expect(refusalOf(() => given(template, created, versioned(2)).when(command))).toEqual(
        refused('version_conflict', 2),
      );
    }
  });

  it('that does not exist, or no longer does, takes no update and no delete', () => {
    for (const history of [[], [created, deleted(1)], [forgone('Invoice')]]) {
      for (const command of [update(), remove()])
        expect(refusalOf(() => given(template, ...history).when(command))).toEqual(refused('not_found'));
    }
  });

  it('that was deleted, or gave its name up before it existed, is never created', () => {
    for (const history of [[created, deleted(1)], [forgone('Invoice')]])
      expect(refusalOf(() => given(template, ...history).when(create))).toEqual(refused('not_found'));
  });

  it('gives up a name that it does not bear', () => {
    expect(given(template).when(forgo('Invoice'))).toEqual([forgone('Invoice')]);
    expect(given(template, created).when(forgo('Bill'))).toEqual([forgone('Bill')]);
    expect(given(template, created).when(forgo('Invoice'))).toEqual([]);
    expect(given(template, created, deleted(1)).when(forgo('Invoice'))).toEqual([]);
  });

  it('counts its versions without a gap, whatever is commanded', () => {
    const version = fc.option(fc.integer({ min: 1, max: 4 }));
    const command = fc.oneof(
      fc.constant(create),
      version.map(update),
      version.map(remove),
      fc.constantFrom('Invoice', 'Bill').map(forgo),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const events: TemplateEvent[] = [];
        for (const one of commands) {
          const decided = refusalOf(() => given(template, ...events).when(one));
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
