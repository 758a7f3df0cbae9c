import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountEvent } from '#contracts/events/account.ts';
import { type LimitOverrides, planNames } from '#contracts/plans.ts';
import { account, type AccountCommand } from './account.ts';
import { fold } from './decider.ts';
import { given, historyOf } from './testing/given.ts';

const open: AccountCommand = { type: 'open', name: 'Acme', plan: 'free', overrides: {} };
const changePlan = (plan: (typeof planNames)[number], overrides: LimitOverrides = {}): AccountCommand => ({
  type: 'changePlan',
  plan,
  overrides,
  reason: null,
});
const suspend: AccountCommand = { type: 'suspend', reason: 'unpaid' };
const reinstate: AccountCommand = { type: 'reinstate', reason: null };

const opened: AccountEvent = { type: 'AccountOpened', data: { name: 'Acme', plan: 'free', overrides: {} } };
const suspended: AccountEvent = { type: 'AccountSuspended', data: { reason: 'unpaid' } };
const reinstated: AccountEvent = { type: 'AccountReinstated', data: { reason: null } };

describe('An account', () => {
  it('is opened once', () => {
    expect(given(account).when(open)).toEqual([opened]);
    expect(given(account, opened).when({ ...open, name: 'Other' })).toEqual([]);
  });

  it('changes to another plan or other limits', () => {
    expect(given(account, opened).when(changePlan('pro'))).toEqual([
      { type: 'PlanChanged', data: { plan: 'pro', overrides: {}, reason: null } },
    ]);
    expect(given(account, opened).when(changePlan('free', { requestsPerMinute: 9 }))).toHaveLength(1);
    expect(given(account, opened).when(changePlan('free'))).toEqual([]);
  });

  it('loses an override that a plan change does not name', () => {
    const limited: AccountEvent = {
      type: 'AccountOpened',
      data: { name: 'Acme', plan: 'free', overrides: { requestsPerMinute: 9, maxPdfMb: 3 } },
    };
    expect(given(account, limited).when(changePlan('free', { maxPdfMb: 3 }))).toHaveLength(1);
    expect(given(account, limited).when(changePlan('free', { maxPdfMb: 3, requestsPerMinute: 9 }))).toEqual([]);
  });

  it('is suspended and reinstated in turn', () => {
    expect(given(account, opened).when(suspend)).toEqual([suspended]);
    expect(given(account, opened, suspended).when(suspend)).toEqual([]);
    expect(given(account, opened, suspended).when(reinstate)).toEqual([reinstated]);
    expect(given(account, opened).when(reinstate)).toEqual([]);
  });

  it('stays suspended when its plan changes', () => {
    const events = [opened, suspended, ...given(account, opened, suspended).when(changePlan('pro'))];
    expect(fold(account, events)).toMatchObject({ status: 'SUSPENDED', plan: 'pro' });
  });

  it('that was never opened ignores every other command', () => {
    for (const command of [changePlan('pro'), suspend, reinstate]) expect(given(account).when(command)).toEqual([]);
  });
});

describe('After any commands, an account', () => {
  const plan = fc.constantFrom(...planNames);
  const overrides = fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 2 }) }, { requiredKeys: [] });
  const command = fc.oneof(
    fc.constantFrom(open, suspend, reinstate),
    fc.tuple(plan, overrides).map(([to, limits]) => changePlan(to, limits)),
  );
  const history = fc.array(command, { maxLength: 30 }).map((commands) => historyOf(account, commands));

  it('has been opened once, and alternates between suspended and reinstated', () => {
    fc.assert(
      fc.property(history, (events) => {
        expect(events.filter(({ type }) => type === 'AccountOpened')).toEqual(events.slice(0, 1));
        const changes = events
          .map(({ type }) => type)
          .filter((type) => type === 'AccountSuspended' || type === 'AccountReinstated');
        for (const [index, change] of changes.entries())
          expect(change).toBe(index % 2 === 0 ? 'AccountSuspended' : 'AccountReinstated');
      }),
    );
  });

  it('ignores a repeated command', () => {
    fc.assert(
      fc.property(history, command, (events, repeated) => {
        expect(given(account, ...events, ...given(account, ...events).when(repeated)).when(repeated)).toEqual([]);
      }),
    );
  });
});
