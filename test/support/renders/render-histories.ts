import { expect } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import type { Engines } from '#libs/engines/engine-factory.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { ApiClient } from '../client/api-client.ts';
import { withInstallationEngines } from '../service/with-engines.ts';
import type { TestInstallation } from '../service/installation.ts';
import { waitUntil } from '../wait-until.ts';

/** The events of each render by its stream, the oldest first. */
type RenderHistories = Map<string, RecordedEvent[]>;

/** Each call reads the events since the last one, and returns the histories so far. */
const historiesReader = ({ store }: Engines): (() => Promise<RenderHistories>) => {
  const histories: RenderHistories = new Map();
  let position = 0;
  return async () => {
    for (const event of await store.readAll(position, 100_000)) {
      position = event.position;
      if (event.stream.startsWith('render-')) histories.getOrInsert(event.stream, []).push(event);
    }
    return histories;
  };
};

/** Reads the events of every render in the event log. */
export const readRenderHistories = (installation: TestInstallation): Promise<RenderHistories> =>
  withInstallationEngines(installation, (engines) => historiesReader(engines)());

/** Waits until the histories are as expected. It opens the engines once, because that takes longer than many reads. */
export const waitForRenderHistories = (
  installation: TestInstallation,
  what: string,
  isExpected: (histories: RenderHistories) => boolean,
): Promise<RenderHistories> =>
  withInstallationEngines(installation, (engines) => {
    const readHistories = historiesReader(engines);
    return waitUntil(what, async () => {
      const histories = await readHistories();
      return isExpected(histories) && histories;
    });
  });

export const eventTypesOf = (history: readonly RecordedEvent[]): string[] => history.map(({ type }) => type);

export const hasEnded = (history: readonly RecordedEvent[]): boolean =>
  eventTypesOf(history).some((type) => type === 'RenderCompleted' || type === 'RenderFailed');

/** Waits for the end of a job. Retries after errors and after status 503. */
export const waitUntilJobEnded = (client: ApiClient, jobId: string): Promise<JobResponse> =>
  waitUntil(`${jobId} ends`, async () => {
    const { status, body, text } = await client
      .request('GET', `/api/v1/jobs/${jobId}`)
      .catch(() => ({ status: 503, body: {}, text: '' }));
    expect([200, 503], text).toContain(status);
    const job = body as unknown as JobResponse;
    return status === 200 && (job.status === 'DONE' || job.status === 'FAILED') && job;
  });
