import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import type { EventData } from '#contracts/events/all.ts';
import { bareId, jobIdOf, streams } from '#contracts/names.ts';
import { render } from '#libs/domain/render.ts';
import { begin } from '#application/handling/handle.ts';
import { lookInto } from '../e2e/engines.ts';
import type { House } from '../e2e/service.ts';

type Requested = EventData['RenderRequested'];

const released = (JSON.parse(readFileSync(new URL('../fixtures/events/RenderRequested.v1.poll.json', import.meta.url), 'utf8')) as { event: { data: Requested } }).event.data;
const longAgo = new Date(Date.now() - 10 * 60_000);

/** Puts renders into the log that were accepted ten minutes ago, so that nobody waits for a sweeper to find them overdue. Answers with their jobs. */
export const acceptLongAgo = (house: House, account: string, count: number): Promise<string[]> =>
  lookInto(house, async ({ store, blobs }) => {
    const accountId = bareId('acc', account)!;
    const input = await blobs.put(Buffer.from('<p>lost and found'));
    const ids = Array.from({ length: count }, (_, n) => ulid(longAgo.getTime() + n));
    for (const id of ids) {
      const data: Requested = { ...released, accountId, source: { mode: 'CONVERT', inputType: 'html', input } };
      const cause = { actor: { kind: 'person', name: 'tests' } as const, accountId, correlationId: 'tests', causationId: null, traceparent: null };
      await begin({ store, now: () => longAgo }, render, streams.render(id)).execute({ type: 'request', data }, cause);
    }
    return ids.map(jobIdOf);
  });
