import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import type { EventData } from '#contracts/events/event-schemas.ts';
import { bareId, jobIdOf, streams } from '#contracts/names.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate } from '#application/command-handling/aggregate.ts';
import { withInstallationEngines } from '../service/with-engines.ts';
import type { TestInstallation } from '../service/installation.ts';

type Requested = EventData['RenderRequested'];

const requestedFixture = (
  JSON.parse(readFileSync(new URL('../../fixtures/events/RenderRequested.v1.poll.json', import.meta.url), 'utf8')) as {
    event: { data: Requested };
  }
).event.data;
const acceptedAt = new Date(Date.now() - 10 * 60_000);

/** Appends renders that were accepted ten minutes ago, so the sweeper finds them overdue at once. Returns their job ids. */
export const recordOverdueRenders = (
  installation: TestInstallation,
  account: string,
  count: number,
): Promise<string[]> =>
  withInstallationEngines(installation, async ({ store, blobs }) => {
    const accountId = bareId('acc', account)!;
    const input = await blobs.put(Buffer.from('<p>lost and found'));
    const ids = Array.from({ length: count }, (_, n) => ulid(acceptedAt.getTime() + n));
    for (const id of ids) {
      const data: Requested = { ...requestedFixture, accountId, source: { mode: 'CONVERT', inputType: 'html', input } };
      const cause = {
        actor: { kind: 'person', name: 'tests' } as const,
        accountId,
        correlationId: 'tests',
        causationId: null,
        traceparent: null,
      };
      await newAggregate({ store, now: () => acceptedAt }, render, streams.render(id)).execute(
        { type: 'request', data },
        cause,
      );
    }
    return ids.map(jobIdOf);
  });
