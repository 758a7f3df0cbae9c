import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { streams } from '#contracts/names.ts';
import { newAggregate } from '#application/command-handling/aggregate.ts';
import { noPageSecrets, openPageSecrets, sealPageRequest } from '#application/renders/page-secrets.ts';
import { render } from '#libs/domain/render.ts';
import { newId } from '#libs/ids/ulids.ts';
import { eraseRenderedPageSecrets } from '../../services/sweeper/erase.ts';
import { openEmbeddedEngines } from '../support/api/embedded-engines.ts';

const fixture = JSON.parse(
  readFileSync(new URL('../fixtures/events/RenderRequested.v1.page.json', import.meta.url), 'utf8'),
) as { event: { data: EventData['RenderRequested'] } };
const secrets = { current: Buffer.alloc(32), previous: [] };

test('secrets for a page that a stopped renderer has left are erased by the next sweep, after the end of the render', async () => {
  const { engines, eventLog, cause, accountId, catchUpReadModels, advanceClock, eventTypesIn } =
    await openEmbeddedEngines();
  const { blobs } = engines;
  const id = newId();
  const values = { ...noPageSecrets, headers: { Authorization: 'Bearer 1' } };
  const page = await sealPageRequest({ blobs, secrets }, id, 'https://example.com/?token=1', values);
  const source = { ...fixture.event.data.source, page } as EventData['RenderRequested']['source'];
  const aggregate = newAggregate(eventLog, render, streams.render(id));
  await aggregate.execute({ type: 'request', data: { ...fixture.event.data, accountId, source } }, cause);
  await aggregate.execute({ type: 'claim', attempt: 1, worker: 'tests', queueMs: 0 }, cause);
  const sweep = async (): Promise<void> => {
    await catchUpReadModels();
    advanceClock(1_000);
    await eraseRenderedPageSecrets({ eventLog, ...engines });
  };
  await sweep();
  expect(await openPageSecrets({ blobs, secrets }, id, page)).toEqual(values);

  const error = { name: 'processing_timeout', message: 'too late', extra: {} } as const;
  const end = { attempt: 1, error, responseMode: 'wait', totalMs: 1, quotaRefundDate: null } as const;
  await aggregate.execute({ type: 'fail', data: end }, cause);
  await sweep();
  await sweep();
  expect(await eventTypesIn(streams.render(id))).toEqual([
    'RenderRequested',
    'RenderStarted',
    'RenderFailed',
    'PageSecretsErased',
  ]);
  expect(await blobs.has(page.sealed!.sha256)).toBe(false);
  await expect(openPageSecrets({ blobs, secrets }, id, page)).rejects.toMatchObject({
    fields: { name: 'render_secrets_erased', extra: { missing_fields: ['url_headers'] } },
  });
});
