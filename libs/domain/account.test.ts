import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountEvent, AccountSettings } from '#contracts/events/account.ts';
import { type LimitOverrides, limitsOf, planNames, plans } from '#contracts/plans.ts';
import { account, type AccountCommand, defaultAccountSettings } from './account.ts';
import { fold } from './decider.ts';
import { given, historyOf } from './testing/given.ts';

const open: AccountCommand = { type: 'open', name: 'Acme', plan: 'free', overrides: {} };
const changePlan = (plan: (typeof planNames)[number], overrides: LimitOverrides = {}): AccountCommand => ({
  type: 'changePlan',
  plan,
  overrides,
  reason: null,
});
const changeSettings = (settings: Partial<AccountSettings>): AccountCommand => ({ type: 'changeSettings', settings });
const rename = (name: string, settings: Partial<AccountSettings> = {}): AccountCommand => ({
  type: 'changeSettings',
  name,
  settings,
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

  it('keeps each webhook secret for 24 hours after its replacement, at most four', () => {
    const at = (hour: number): Date => new Date(Date.UTC(2026, 2, 2, hour));
    const rotateAt = (hour: number): AccountCommand => ({ type: 'rotateWebhookSecret', now: at(hour) });
    const history = historyOf(account, [open, rotateAt(0), rotateAt(1), rotateAt(2), rotateAt(3)]);
    const state = fold(account, history);
    expect(state).toMatchObject({
      webhookSecret: {
        generation: 5,
        previous: [4, 3, 2, 1].map((generation, index) => ({ generation, validUntil: at(27 - index).toISOString() })),
      },
    });
    expect(() => given(account, ...history).when(rotateAt(23))).toThrow(
      expect.objectContaining({ until: at(24).toISOString() }),
    );
    expect(given(account, ...history).when(rotateAt(24))).toEqual([
      { type: 'WebhookSecretRotated', data: { generation: 6, previousValidUntil: at(48).toISOString() } },
    ]);
  });

  it('is renamed, unless it has the name', () => {
    const renamed = { type: 'AccountRenamed', data: { name: 'Paper Mill' } };
    const german = { type: 'AccountSettingsChanged', data: { ...defaultAccountSettings, locale: 'de' } };
    expect(given(account, opened).when(rename('Paper Mill'))).toEqual([renamed]);
    expect(given(account, opened).when(rename('Paper Mill', { locale: 'de' }))).toEqual([renamed, german]);
    expect(given(account, opened).when(rename('Acme'))).toEqual([]);
  });

  it('changes the settings that a command names, and keeps the others', () => {
    const german = { type: 'AccountSettingsChanged', data: { ...defaultAccountSettings, locale: 'de' } } as const;
    expect(given(account, opened).when(changeSettings({ locale: 'de' }))).toEqual([german]);
    expect(given(account, opened, german).when(changeSettings({ timeZone: 'Europe/Vienna' }))).toEqual([
      { type: 'AccountSettingsChanged', data: { ...german.data, timeZone: 'Europe/Vienna' } },
    ]);
    expect(given(account, opened, german).when(changeSettings({ locale: null }))).toHaveLength(1);
    expect(given(account, opened, german).when(changeSettings({ locale: 'de' }))).toEqual([]);
    expect(given(account, opened).when(changeSettings({}))).toEqual([]);
  });

  it('that was never opened ignores every other command', () => {
    const others = [rename('x'), changeSettings({ locale: 'de' })];
    for (const command of [changePlan('pro'), suspend, reinstate, ...others])
      expect(given(account).when(command)).toEqual([]);
  });
});

describe('After any commands, an account', () => {
  const plan = fc.constantFrom(...planNames);
  const overrides = fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 2 }) }, { requiredKeys: [] });
  const command = fc.oneof(
    fc.constantFrom(open, suspend, reinstate, changeSettings({ locale: 'de' }), changeSettings({ locale: null })),
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

it('A limit that an operator has not set is that of the plan, also while the event is in memory', () => {
  const overrides = { requestsPerMonth: undefined, maxPdfMb: 7 } as LimitOverrides;
  expect(limitsOf('starter', overrides)).toEqual({ ...plans.starter, maxPdfMb: 7 });
});
