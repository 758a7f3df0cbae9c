import { beforeAll, expect, it } from 'vitest';
import { createUnlimitedKey, issueKey, openAccount } from '../support/service/accounts.ts';
import { createClient } from '../support/client/api-client.ts';
import { expectErrorResponse } from '../support/client/expect-error-response.ts';
import { sharedService } from '../support/service/for-test-file.ts';
import { type TemplateClient, createTemplateClient } from '../support/client/template-client.ts';

const at = sharedService();
let limited: TemplateClient;
let unlimited: TemplateClient;
beforeAll(async () => {
  const account = await openAccount(at.installation, '--requests-per-minute', '100000');
  limited = createTemplateClient(createClient(at.service.url, (await issueKey(at.installation, account)).key));
  unlimited = createTemplateClient(
    createClient(at.service.url, await createUnlimitedKey(at.installation, '--plan', 'enterprise')),
  );
});

const createVersions = async (templates: TemplateClient, count: number): Promise<string> => {
  const { id } = await templates.create('version 1');
  for (let version = 2; version <= count; version += 1)
    await templates.update(id, { content: `version ${version}`, changes: `Change ${version}` });
  return id;
};

type Page = { versions?: { changes: string }[]; events?: { id: string }[]; next_cursor: string | null };
const readPages = async (templates: TemplateClient, path: string, limit: number): Promise<Page[]> => {
  const pages: Page[] = [];
  for (let cursor = ''; ;) {
    const page = await templates.expectStatus<Page>(200, templates.send('GET', `${path}?limit=${limit}${cursor}`));
    pages.push(page);
    if (page.next_cursor === null) return pages;
    cursor = `&cursor=${page.next_cursor}`;
  }
};

it('The versions of a template are the same in pages of any size', async () => {
  for (const [templates, kept] of [
    [limited, 10],
    [unlimited, 12],
  ] as const) {
    const id = await createVersions(templates, 12);
    const all = await templates.versions(id);
    expect(all.map(({ version }) => version)).toEqual(Array.from({ length: kept }, (_, index) => 12 - index));
    for (const limit of [5, 6, 7, 12, 13, 1_000]) {
      const pages = await readPages(templates, `/${id}/versions`, limit);
      expect(pages, `pages of ${limit}`).toHaveLength(Math.ceil(kept / limit));
      expect(
        pages.flatMap(({ versions }) => versions!),
        `pages of ${limit}`,
      ).toEqual(all);
    }
  }
});

it('The events of a template are the same in pages', async () => {
  const id = await createVersions(limited, 7);
  const [all] = await readPages(limited, `/${id}/events`, 1_000);
  expect(all!.events).toHaveLength(7);
  for (const limit of [1, 3, 6, 7]) {
    const pages = await readPages(limited, `/${id}/events`, limit);
    expect(pages).toHaveLength(Math.ceil(7 / limit));
    expect(pages.flatMap(({ events }) => events!)).toEqual(all!.events);
  }
});

it('A page of versions or events is refused with another cursor or too many entries', async () => {
  const { id } = await limited.create('text');
  for (const list of ['versions', 'events']) {
    for (const cursor of ['0', '-1', '1.5', 'abc', '', '9'.repeat(30)])
      expectErrorResponse(await limited.send('GET', `/${id}/${list}?cursor=${cursor}`), 'invalid_request', {
        field: 'cursor',
      });
    for (const limit of ['0', '1001', 'all'])
      expectErrorResponse(await limited.send('GET', `/${id}/${list}?limit=${limit}`), 'invalid_request', {
        field: 'limit',
      });
    const beyond = await limited.expectStatus<Page>(200, limited.send('GET', `/${id}/${list}?cursor=999999`));
    expect(beyond.next_cursor).toBeNull();
  }
});
