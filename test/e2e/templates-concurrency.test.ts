import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { bareId, streams } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateName } from '#libs/domain/template-name.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let account: string;
let templateClient: TemplateClient;
beforeAll(async () => {
  account = await openAccount(at.installation, '--plan', 'enterprise');
  templateClient = createTemplateClient(createClient(at.service.url, (await issueKey(at.installation, account)).key));
});

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const streamOfName = (name: string): string =>
  streams.templateName(
    createHash('sha256')
      .update(`${bareId('acc', account)!}\n${name}`)
      .digest('hex'),
  );
const cause = {
  actor: { kind: 'service', name: 'tests' } as const,
  accountId: null,
  correlationId: 'tests',
  causationId: null,
  traceparent: null,
};

/** Reserves a name as a request that crashes before it uses the name. Returns the id of the template that was not created. */
const reserveAndDie = (name: string, ago: number, templateId = newId()): Promise<string> =>
  withInstallationEngines(at.installation, async ({ store }) => {
    const { aggregate } = await loadAggregate(
      { store, now: () => new Date(Date.now() - ago) },
      templateName,
      streamOfName(name),
    );
    await aggregate.execute(
      { type: 'reserve', accountId: bareId('acc', account)!, name, templateId, cancelledBy: null },
      cause,
    );
    return templateId;
  });

const blob = { sha256: 'ab'.repeat(32), size: 1 };

/**
 * Appends templates, because each request for one takes much longer. One after the other: on a busy machine, many at once
 * can take longer than the time limit of an append.
 */
const appendTemplates = (accountId: string, count: number): Promise<void> =>
  withInstallationEngines(at.installation, async ({ store }) => {
    for (let index = 0; index < count; index += 1) {
      const eventLog = { store, now: () => new Date() };
      const { aggregate } = await loadAggregate(eventLog, template, streams.template(newId()));
      const body = {
        name: `Before ${index}`,
        description: null,
        category: 'other',
        content: blob,
        settings: blob,
      } as const;
      await aggregate.execute({ type: 'create', accountId, body }, { ...cause, accountId });
    }
  });

describe('Of many concurrent requests for new templates', () => {
  it('with one name, one succeeds, the others fail because the name is taken, and nothing of them is stored', async () => {
    const text = (index: number): string => `<p>wanted ${index}</p>`;
    const responses = await times(20, (index) => templateClient.post({ name: 'Wanted', content: text(index) }));
    const winner = responses.findIndex(({ status }) => status === 201);
    const created = responses[winner];
    const refused = responses.filter((response) => response !== created);
    expect(refused.length).toBe(19);
    for (const response of refused) expectErrorResponse(response, 'template_name_exists');
    expect((await templateClient.send('GET', '?limit=100')).body.templates).toEqual([
      expect.objectContaining({ id: created!.body.id, name: 'Wanted' }),
    ]);

    expect((await templateClient.get(String(created!.body.id))).content).toBe(text(winner));
    await withInstallationEngines(at.installation, async ({ store, blobs }) => {
      expect(
        (await store.read(streamOfName('Wanted'))).map(({ data }) => (data as { templateId: string }).templateId),
      ).toEqual([bareId('tpl', String(created!.body.id))]);
      const stored = await times(20, (index) => blobs.has(createHash('sha256').update(text(index)).digest('hex')));
      expect(stored.flatMap((isStored, index) => (isStored ? [index] : []))).toEqual([winner]);
    });
  });

  it('with different names, all succeed up to the limit of the plan', async () => {
    const owner = await openAccount(at.installation, '--requests-per-minute', '100000');
    const limited = createTemplateClient(createClient(at.service.url, (await issueKey(at.installation, owner)).key));
    const total = async () => (await limited.send('GET', '')).body.total;
    await appendTemplates(bareId('acc', owner)!, 98);
    await expect.poll(total).toBe(98);
    const responses = await times(8, (index) => limited.post({ name: `Own ${index}`, content: 'x' }));
    expect(responses.filter(({ status }) => status === 201).length).toBe(2);
    for (const response of responses.filter(({ status }) => status !== 201))
      expectErrorResponse(response, 'template_limit_exceeded', { limit: 100 });
    expect(await total()).toBe(100);
  });
});

describe('Of many concurrent updates', () => {
  it('of one template, each makes its own version, without gaps or duplicates', async () => {
    const { id } = await templateClient.create('0');
    const versions = (await times(12, (index) => templateClient.update(id, { content: `${index + 1}` }))).map(
      ({ version }) => version,
    );
    const all = Array.from({ length: 13 }, (_, index) => index + 1);
    expect(versions.toSorted((a, b) => a - b)).toEqual(all.slice(1));
    expect((await templateClient.versions(id)).map(({ version }) => version)).toEqual(all.toReversed());
    const contents = await Promise.all(
      all.map(async (version) => (await templateClient.send('GET', `/${id}/versions/${version}`)).body.content),
    );
    expect(new Set(contents).size).toBe(13);
    expect((await templateClient.get(id)).content).toBe(contents.at(-1));
  });

  it('of one expected version, only one succeeds', async () => {
    const { id } = await templateClient.create('0');
    const responses = await times(8, (index) =>
      templateClient.send('PUT', `/${id}`, { content: `${index}` }, { 'if-match': '1' }),
    );
    expect(responses.filter(({ status }) => status === 200).length).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 200))
      expectErrorResponse(response, 'version_conflict', { current_version: 2 });
  });

  it('to one name, only one succeeds, and the other templates keep their names', async () => {
    const made = await times(6, () => templateClient.create('x'));
    const responses = await times(6, (index) => templateClient.send('PUT', `/${made[index]!.id}`, { name: 'Coveted' }));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(5).fill(409)]);
    const names = await Promise.all(made.map(async ({ id }) => (await templateClient.get(id)).name));
    expect(names.filter((name, index) => name !== made[index]!.name)).toEqual(['Coveted']);
  });
});

describe('A name whose request crashed after reserving it', () => {
  it('stays reserved for a moment, because the request may still run, and is then free', async () => {
    await reserveAndDie('Just now', 0);
    expectErrorResponse(await templateClient.post({ name: 'Just now', content: 'x' }), 'template_name_exists');
    await reserveAndDie('A while ago', 60_000);
    const { id } = await templateClient.create('x', { name: 'A while ago' });
    expect((await templateClient.get(id)).name).toBe('A while ago');
  });

  it('goes to one of the later requests, never back to the first one', async () => {
    const late = await reserveAndDie('Slow', 60_000);
    const responses = await times(10, () => templateClient.post({ name: 'Slow', content: 'x' }));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(409)]);
    const create = withInstallationEngines(at.installation, async ({ store }) => {
      const { aggregate } = await loadAggregate({ store, now: () => new Date() }, template, streams.template(late));
      await aggregate.execute(
        {
          type: 'create',
          accountId: bareId('acc', account)!,
          body: { name: 'Slow', description: null, category: 'other', content: blob, settings: blob },
        },
        cause,
      );
    });
    await expect(create).rejects.toThrow('not_found');
  });

  it('stays with the template that has it, however long ago it was reserved', async () => {
    const { id } = await templateClient.create('x', { name: 'First' });
    await reserveAndDie('Second', 60_000, bareId('tpl', id));
    expect((await templateClient.send('PUT', `/${id}`, { name: 'Second' })).status).toBe(200);
    expectErrorResponse(await templateClient.post({ name: 'Second', content: 'x' }), 'template_name_exists');
    expect((await templateClient.post({ name: 'First', content: 'x' })).status).toBe(201);
  });

  it('is free if the request had renamed the template and crashed before releasing the name', async () => {
    const { id } = await templateClient.create('x', { name: 'Let go' });
    await templateClient.update(id, { name: 'Kept' });
    await reserveAndDie('Let go', 60_000, bareId('tpl', id));
    expect((await templateClient.post({ name: 'Let go', content: 'x' })).status).toBe(201);
    expect((await templateClient.get(id)).name).toBe('Kept');
  });
});
