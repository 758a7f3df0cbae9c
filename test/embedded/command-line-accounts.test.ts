import { describe, expect, it } from 'vitest';
import { issueKey, issueKeyByCommand, openAccount, openAccountByCommand } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { sharedService } from '../support/service/for-test-file.ts';

const at = sharedService();
const colophon = <T>(...args: string[]) => at.installation.runJsonCommand<T>(...args);

type Account = { plan: string; overrides: Record<string, number> };

describe('On the command line an account', () => {
  it('is created with a plan and its own limits', async () => {
    const figures = ['--requests-per-minute', '30', '--requests-per-month', '300', '--max-pdf-mb', '2.5'];
    const id = await openAccountByCommand(at.installation, '--plan', 'pro', ...figures);
    const overrides = { requestsPerMinute: 30, requestsPerMonth: 300, maxPdfMb: 2.5 };
    expect(await colophon<Account>('account', 'show', id)).toMatchObject({ plan: 'pro', overrides });
  });

  it('has every change in its history, with actor and reason', async () => {
    const id = await openAccount(at.installation);
    const { key } = await issueKey(at.installation, id);
    await colophon('account', 'plan', id, 'pro', '--reason', 'smaller');
    await colophon('account', 'suspend', id, '--reason', 'x');
    await colophon('account', 'reinstate', id);
    const { events } = (await createClient(at.service.url, key).request('GET', '/api/v1/account/events')).body as {
      events: {
        type: string;
        actor: { kind: string; name: string };
        data: { reason?: string | null };
        request_id: string;
      }[];
    };
    expect(events.map(({ type, data }) => [type, data.reason])).toEqual([
      ['AccountReinstated', null],
      ['AccountSuspended', 'x'],
      ['PlanChanged', 'smaller'],
      ['ApiKeyIssued', undefined],
      ['AccountOpened', undefined],
    ]);
    for (const { actor } of events) expect(actor).toEqual({ kind: 'person', name: expect.stringMatching(/./) });
    for (const { request_id } of events.slice(0, 3)) expect(request_id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it('is not changed again by a repeated command', async () => {
    const id = await openAccount(at.installation, '--plan', 'pro');
    const twice = async (...args: string[]) =>
      [await colophon('account', ...args), await colophon('account', ...args)].map(
        (result) => (result as { changed: boolean }).changed,
      );
    expect(await twice('suspend', id, '--reason', 'x')).toEqual([true, false]);
    expect(await twice('reinstate', id)).toEqual([true, false]);
    expect(await twice('plan', id, 'free')).toEqual([true, false]);
  });
});

describe('The command line', () => {
  it('lists accounts and keys in tables, one line each', async () => {
    const id = await openAccountByCommand(at.installation);
    await issueKeyByCommand(at.installation, id, '--name', 'web shop');
    const keys = (await at.installation.runCommand('key', 'list', '--account', id)).stdout.split('\n');
    expect(keys[0]).toMatch(
      /^id +key +name +type +state +permissions +last used +requests +renders +succeeded +failed +quota$/,
    );
    expect(keys[1]).toMatch(/^key_\w+ +svc_live_\w{6}\.\.\. +web shop +live +active +default +- +0 +0 +0 +0 +0$/);
    const other = await openAccountByCommand(at.installation, '--name', 'other account');
    const { id: keyOfOther } = await issueKeyByCommand(at.installation, other, '--name', 'till');
    const all = (await at.installation.runCommand('key', 'list')).stdout;
    expect(all).toMatch(/^id +key +name .* quota +account$/m);
    expect(all).toMatch(/^key_\w+ .* web shop .* tests$/m);
    expect(all).toMatch(new RegExp(`^${keyOfOther} .* till .* other account$`, 'm'));
    const ofAll = await colophon<{ id: string; account: string }[]>('key', 'list');
    expect(ofAll.find((key) => key.id === keyOfOther)).toMatchObject({ account: other });
    expect((await at.installation.runCommand('account', 'list')).stdout).toMatch(
      new RegExp(`^${id} +tests +business +active +20`, 'm'),
    );
    expect((await at.installation.runCommand('account', 'show', id)).stdout).toMatch(/^plan +business$/m);
  });
});
