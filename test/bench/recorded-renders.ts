import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { streams } from '#contracts/names.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate } from '#application/command-handling/aggregate.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { withInstallationEngines } from '../support/service/with-engines.ts';
import type { TestInstallation } from '../support/service/installation.ts';
import { invoice } from './fixtures/invoice.ts';
import { timesOf } from './requests.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];
const eventFixtureData = <T extends RenderEvent['type']>(name: string): Data<T> =>
  (
    JSON.parse(readFileSync(new URL(`../fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

const causeOf = (accountId: string) => ({
  actor: { kind: 'service', name: 'bench' } as const,
  accountId,
  correlationId: 'bench',
  causationId: null,
  traceparent: null,
});

/** Appends completed renders with callbacks to these addresses. Appending is not part of the figure. */
export const recordCompletedRenders = (
  installation: TestInstallation,
  accountId: string,
  addresses: readonly string[],
): Promise<void> =>
  withInstallationEngines(installation, async ({ store, blobs }) => {
    const cause = causeOf(accountId);
    const pdf = await blobs.put(Buffer.from('%PDF-1.7'));
    await timesOf(addresses.length, 64, async (index) => {
      const aggregate = newAggregate({ store, now: () => new Date() }, render, streams.render(ulid()));
      await aggregate.execute(
        {
          type: 'request',
          data: {
            ...eventFixtureData<'RenderRequested'>('RenderRequested.v1.webhook'),
            accountId,
            responseMode: {
              kind: 'webhook',
              estimatedMs: 1,
              url: addresses[index]!,
              urlIsMasked: false,
              method: 'POST',
              headers: {},
              sealed: null,
            },
          },
        },
        cause,
      );
      await aggregate.execute({ type: 'claim', attempt: 1, worker: 'bench', queueMs: 0 }, cause);
      await aggregate.execute(
        {
          type: 'complete',
          data: {
            ...eventFixtureData<'RenderCompleted'>('RenderCompleted.v1.kept'),
            pdf,
            keptUntil: new Date(Date.now() + 3_600_000).toISOString(),
          },
        },
        cause,
      );
    });
  });

/** Appends renders that no worker has started, and updates the read models. */
export const recordOpenRenders = (installation: TestInstallation, accountId: string, jobs: number): Promise<void> =>
  withInstallationEngines(installation, async ({ store, blobs, reads }) => {
    const cause = causeOf(accountId);
    const source = {
      mode: 'CONVERT' as const,
      inputType: 'html' as const,
      input: await blobs.put(Buffer.from(invoice(0))),
    };
    const data = {
      ...eventFixtureData<'RenderRequested'>('RenderRequested.v1.webhook'),
      accountId,
      source,
      responseMode: { kind: 'poll' as const, estimatedMs: 1 },
    };
    await timesOf(jobs, 256, () =>
      newAggregate({ store, now: () => new Date() }, render, streams.render(ulid())).execute(
        { type: 'request', data },
        cause,
      ),
    );
    await catchUp(store, reads, projections);
  });
