import { expect } from 'vitest';
import type { Job } from '#contracts/http/jobs.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Client } from '../e2e/client.ts';
import { lookInto } from '../e2e/engines.ts';
import type { House } from '../e2e/service.ts';
import { until } from '../e2e/until.ts';

/** The events of every render in the log, by stream, oldest first. */
export const storiesIn = (house: House): Promise<Map<string, RecordedEvent[]>> =>
  lookInto(house, async ({ store }) => Map.groupBy((await store.readAll(0, 100_000)).filter(({ stream }) => stream.startsWith('render-')), ({ stream }) => stream));

export const typesOf = (story: readonly RecordedEvent[]): string[] => story.map(({ type }) => type);

export const hasEnded = (story: readonly RecordedEvent[]): boolean => typesOf(story).some((type) => type === 'RenderCompleted' || type === 'RenderFailed');

/** The job once it has ended, for callers who try again where they are told to. */
export const endedAtLast = (client: Client, jobId: string): Promise<Job> =>
  until(`${jobId} ends`, async () => {
    const { status, body, text } = await client.ask('GET', `/api/v1/jobs/${jobId}`).catch(() => ({ status: 503, body: {}, text: '' }));
    expect([200, 503], text).toContain(status);
    const job = body as unknown as Job;
    return status === 200 && (job.status === 'DONE' || job.status === 'FAILED') && job;
  });
