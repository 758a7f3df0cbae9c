import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bareId, streams, templateIdOf } from '#contracts/names.ts';
import { template } from '#libs/domain/template.ts';
import { templateSlots } from '#libs/domain/template-slots.ts';
import { type EventStore, RevisionConflict } from '#libs/event-store/port.ts';
import { loadAggregate } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { readTemplate, storeTemplate } from '#application/templates/content.ts';
import { reserveName } from '#application/templates/name-reservations.ts';
import { type InProcessApi, openInProcessApi } from '../support/api/in-process-api.ts';

const start = '2026-05-20T12:00:30.000Z';
const cause = {
  actor: { kind: 'service', name: 'tests' } as const,
  accountId: null,
  correlationId: 'tests',
  causationId: null,
  traceparent: null,
};

let one: InProcessApi;
let other: InProcessApi;
let account: string;
let secret: string;
beforeEach(async () => {
  one = await openInProcessApi(start);
  other = await openInProcessApi(start, { folder: one.dataDir });
  account = await one.createAccount('pro');
  secret = (await one.createKey(account)).secret;
});
afterEach(async () => {
  await other.close();
  await one.closeAndRemove();
});

const create = (api: InProcessApi, name: string) =>
  api.request(secret, 'POST', '/api/v1/templates', { name, content: '<p>x</p>' });
const created = async (count: number, prefix: string): Promise<string[]> => {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, body } = await create(one, `${prefix} ${index}`);
    expect(status, JSON.stringify(body)).toBe(201);
    ids.push(String(body.id));
  }
  return ids;
};
const blob = { sha256: 'ab'.repeat(32), size: 1 };
/** Appends templates, because each request for one takes much longer. Returns their ids. */
const appended = async (count: number, isLimited: boolean): Promise<string[]> => {
  const ids = Array.from({ length: count }, () => newId());
  await Promise.all(
    ids.map(async (id, index) => {
      const { aggregate } = await loadAggregate(one.eventLog, template, streams.template(id));
      const name = `Before ${index}`;
      const body = { name, description: null, category: 'other', content: blob, settings: blob } as const;
      await aggregate.execute({ type: 'create', accountId: account, body }, { ...cause, accountId: account });
    }),
  );
  if (isLimited) {
    const { aggregate } = await loadAggregate(one.eventLog, templateSlots, streams.templateSlots(account));
    const [templateId, ...existingTemplateIds] = ids;
    await aggregate.execute({ type: 'take', templateId: templateId!, limit: 100, existingTemplateIds }, cause);
  }
  await one.catchUpReadModels();
  return ids.map(templateIdOf);
};
const statuses = (responses: readonly { status: number }[]): number[] =>
  responses.map(({ status }) => status).toSorted();
const total = async (): Promise<unknown> => {
  await one.catchUpReadModels();
  return (await one.request(secret, 'GET', '/api/v1/templates')).body.total;
};
const takeSlotAndDie = async (templateId = newId()): Promise<string> => {
  const { aggregate } = await loadAggregate(one.eventLog, templateSlots, streams.templateSlots(account));
  await aggregate.execute({ type: 'take', templateId, limit: 100, existingTemplateIds: [] }, cause);
  return templateId;
};

describe('Templates that two processes create concurrently', () => {
  it('do not exceed the limit of the plan', async () => {
    await appended(96, true);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => create(index % 2 ? one : other, `At once ${index}`)),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201, 403]));
    expect(await total()).toBe(100);
    // A name that was rejected at the template limit is free.
    const refused = responses.findIndex(({ status }) => status === 403);
    const { templates } = (await one.request(secret, 'GET', '/api/v1/templates')).body as unknown as {
      templates: { id: string }[];
    };
    expect((await one.request(secret, 'DELETE', `/api/v1/templates/${templates[0]!.id}`)).status).toBe(204);
    expect((await create(one, `At once ${refused}`)).status).toBe(201);
  });

  it('count together with templates from a time without limit', async () => {
    await appended(99, false);
    expect(
      statuses(await Promise.all([create(one, 'a'), create(other, 'b'), create(one, 'c'), create(other, 'd')])),
    ).toEqual([201, 403, 403, 403]);
    expect(await total()).toBe(100);
  });
});

describe('A template slot of a request that crashed', () => {
  it('is reserved for a moment and then goes to another request, never back to the first one', async () => {
    await appended(99, true);
    const late = await takeSlotAndDie();
    expect((await create(other, 'Now')).status).toBe(403);
    for (const { clock } of [one, other]) clock.now = new Date(Date.parse(start) + 10_000);
    expect((await create(other, 'Later')).status).toBe(201);
    const { aggregate } = await loadAggregate(one.eventLog, template, streams.template(late));
    expect(aggregate.state.status).toBe('DELETED');
    expect((await create(one, 'One too many')).status).toBe(403);
  });

  it('is free if a process crashed after deleting the template', async () => {
    const [first] = await appended(100, true);
    const { aggregate } = await loadAggregate(one.eventLog, template, streams.template(bareId('tpl', first!)!));
    const { position } = await aggregate.execute({ type: 'delete', expectedVersion: null }, cause);
    for (const {
      engines: { reads },
    } of [one, other])
      expect(await reads.waitForCheckpoint('templates', position!, 5_000)).toBe(true);
    expect((await create(other, 'In its place')).status).toBe(201);
    expect((await create(other, 'One too many')).status).toBe(403);
  });
});

describe('A new template name whose update failed', () => {
  const rename = (api: InProcessApi, path: string, name: string, version: number) =>
    api.app.inject({
      method: 'PUT',
      url: `/api/v1/templates/${path}`,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'if-match': String(version) },
      payload: JSON.stringify({ name }),
    });
  const isReserved = async (name: string): Promise<boolean> => {
    const history = await one.eventLog.store.read(
      streams.templateName(createHash('sha256').update(`${account}\n${name}`).digest('hex')),
    );
    return history.at(-1)?.type === 'TemplateNameReserved';
  };

  /** Creates a version like a third process. Within one process, requests for a template run one after the other. */
  const makeVersion = async (id: string, name: string): Promise<void> => {
    const bare = bareId('tpl', id)!;
    const { aggregate } = await loadAggregate(one.eventLog, template, streams.template(bare));
    if (aggregate.state.status !== 'ACTIVE') throw new Error('There is no such template.');
    const { body } = aggregate.state;
    if (name !== body.name) await reserveName(one.eventLog, { accountId: account, name }, bare, cause);
    await aggregate.execute(
      { type: 'update', expectedVersion: null, body: { ...body, name }, changes: 'tests', restoredFrom: null },
      cause,
    );
  };

  /** Creates a version with this name just before the other process does, so that the other one gets a conflict. */
  const losesRace = (id: string, name: string): void => {
    const { store } = other.eventLog;
    const append: EventStore['append'] = store.append.bind(store);
    let isFirst = true;
    store.append = async (stream, events, ...rest) => {
      if (isFirst && events.some(({ type }) => type === 'TemplateVersioned')) {
        isFirst = false;
        await makeVersion(id, name);
      }
      return append(stream, events, ...rest);
    };
  };

  it('is free at once', async () => {
    const [id] = await created(1, 'Old name');
    losesRace(id!, 'Old name 0');
    expect((await rename(other, id!, 'New name', 1)).statusCode).toBe(412);
    expect(await isReserved('New name')).toBe(false);
    expect((await create(one, 'New name')).status).toBe(201);
  });

  it('stays reserved if another request gave it to the template meanwhile', async () => {
    const [id] = await created(1, 'Old name');
    losesRace(id!, 'Wanted');
    expect((await rename(other, id!, 'Wanted', 1)).statusCode).toBe(412);
    expect(await isReserved('Wanted')).toBe(true);
    expect((await create(one, 'Wanted')).status).toBe(409);
  });
});

describe('A template that other processes change at the same moment', () => {
  /** Lets the first appends of these events conflict. */
  const conflictAtFirst = (type: string, count: number): void => {
    const { store } = other.eventLog;
    const append: EventStore['append'] = store.append.bind(store);
    let left = count;
    store.append = async (stream, events, expected, blobs) => {
      if (events.some((event) => event.type === type) && left-- > 0) throw new RevisionConflict(stream, expected);
      return append(stream, events, expected, blobs);
    };
  };

  it('gets every change, one after another', async () => {
    const [id] = await created(1, 'Shared');
    const changes = Array.from({ length: 30 }, (_, n) =>
      (n % 2 ? one : other).request(secret, 'PUT', `/api/v1/templates/${id}`, { description: `change ${n}` }),
    );
    expect(new Set(statuses(await Promise.all(changes)))).toEqual(new Set([200]));
    await one.catchUpReadModels();
    expect((await one.request(secret, 'GET', `/api/v1/templates/${id}`)).body.version).toBe(31);
  });

  it.each([
    ['changed', 'TemplateVersioned', 'PUT', 200],
    ['deleted', 'TemplateDeleted', 'DELETE', 204],
  ])('is %s also after many conflicts', async (_, type, method, status) => {
    const [id] = await created(1, 'Contended');
    conflictAtFirst(type, 10);
    const body = method === 'PUT' ? { description: 'x' } : undefined;
    expect((await other.request(secret, method, `/api/v1/templates/${id}`, body)).status).toBe(status);
  });

  it('is checked once for each text', async () => {
    const [id] = await created(1, 'Contended');
    conflictAtFirst('TemplateVersioned', 10);
    const analyse = vi.spyOn(other.preparation, 'analyse');
    const changed = await other.request(secret, 'PUT', `/api/v1/templates/${id}`, { content: '<p>y</p>' });
    expect([changed.status, analyse.mock.calls.length]).toEqual([200, 1]);
  });

  it('is checked again with what another process changed meanwhile', async () => {
    const [id] = await created(1, 'Contended');
    const labels = { en: { total: 'Total' } };
    const changeLabels = async (): Promise<void> => {
      const { aggregate } = await loadAggregate(one.eventLog, template, streams.template(bareId('tpl', id!)!));
      if (aggregate.state.status !== 'ACTIVE') throw new Error('There is no such template.');
      const body = await storeTemplate(one.inputs, {
        ...(await readTemplate(one.inputs, aggregate.state.body)),
        labels,
      });
      await aggregate.execute(
        { type: 'update', expectedVersion: null, body, changes: 'labels', restoredFrom: null },
        cause,
      );
    };
    const analyse = vi.spyOn(other.preparation, 'analyse').mockImplementationOnce(async () => {
      await changeLabels();
      return { errors: [], names: [] };
    });
    const changed = await other.request(secret, 'PUT', `/api/v1/templates/${id}`, { content: '<p>y</p>' });
    expect(changed.status).toBe(200);
    expect(analyse.mock.calls.map(([input]) => input.labels)).toEqual([{}, labels]);
  });
});

describe('A template whose name and slot cannot be freed, because other processes change them at the same moment', () => {
  /** Lets every append to the name or the slots conflict that `isAffected` names. */
  const conflict = (isAffected: (events: readonly { type: string }[]) => boolean): void => {
    const { store } = one.engines;
    const append = store.append.bind(store);
    store.append = async (stream, events, expected, blobs) => {
      if (isAffected(events)) throw new RevisionConflict(stream, expected);
      return append(stream, events, expected, blobs);
    };
  };
  const isRelease = ([event]: readonly { type: string }[]): boolean =>
    event?.type === 'TemplateNameReleased' || event?.type === 'TemplateSlotFreed';

  it('is deleted, and its name is free a moment later', async () => {
    const [id] = await created(1, 'Busy');
    conflict(isRelease);
    expect((await one.request(secret, 'DELETE', `/api/v1/templates/${id}`)).status).toBe(204);
    other.clock.now = new Date(other.clock.now.getTime() + 10_000);
    expect((await create(other, 'Busy 0')).status).toBe(201);
  });

  it('gets one new version when it is renamed', async () => {
    const [id] = await created(1, 'Busy');
    conflict(isRelease);
    const renamed = await one.request(secret, 'PUT', `/api/v1/templates/${id}`, { name: 'Renamed' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'Renamed', version: 2 }]);
  });
});
