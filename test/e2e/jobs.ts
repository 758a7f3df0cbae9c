import { expect } from 'vitest';
import type { Job } from '#contracts/http/jobs.ts';
import type { Answer, Body, Client } from './client.ts';
import { until } from './until.ts';

export type Queued = { id: string; job_id: string; status: 'QUEUED'; webhook_url?: string; estimated_time_ms: number; created_at: string };
export type HistoryEvent = { id: string; type: string; time: string; actor: { kind: string }; trace_id: string | null; data: Body };

export const small = { mode: 'CONVERT', input_type: 'html', data: '<p>small</p>' };

const json = { 'content-type': 'application/json' };

/** What a caller can do with jobs. */
export const jobsOf = (client: Client) => {
  const postTo = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    client.ask('POST', path, { headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const get = async (jobId: string): Promise<Job> => {
    const answer = await client.ask('GET', `/api/v1/jobs/${jobId}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as unknown as Job;
  };
  /** As get, for those who wait: told that the job cannot be shown yet, they ask again. */
  const look = async (jobId: string): Promise<Job | null> => {
    const answer = await client.ask('GET', `/api/v1/jobs/${jobId}`);
    if (answer.status === 503 && answer.body['retry_after']) return null;
    expect(answer.status, answer.text).toBe(200);
    return answer.body as unknown as Job;
  };
  const accepted = (answer: Answer): Queued => {
    expect(answer.status, answer.text).toBe(200);
    return answer.body as unknown as Queued;
  };
  return {
    postTo,
    /** POST /render, which has to be accepted. */
    submit: async (fields: Body, source: Body = small): Promise<Queued> => accepted(await client.post({ ...source, ...fields })),
    /** POST /render/async, which has to be accepted. */
    later: async (fields: Body = {}, source: Body = small): Promise<Queued> => accepted(await postTo('/api/v1/render/async', { ...source, ...fields })),
    get,
    events: async (jobId: string): Promise<HistoryEvent[]> => (await client.ask('GET', `/api/v1/jobs/${jobId}/events`)).body.events as HistoryEvent[],
    /** The job, once it is as `wanted` says. */
    when: (jobId: string, what: string, wanted: (job: Job) => boolean): Promise<Job> =>
      until(`${jobId} ${what}`, async () => {
        const job = await look(jobId);
        return job && wanted(job) ? job : null;
      }),
    ended: (jobId: string): Promise<Job> =>
      until(`${jobId} ends`, async () => {
        const job = await look(jobId);
        return job?.status === 'DONE' || job?.status === 'FAILED' ? job : null;
      }),
  };
};
export type Jobs = ReturnType<typeof jobsOf>;

/** The path and token of a PDF's address: the service of a test is at another port than its settings say. */
export const pathOf = (address: unknown): string => {
  const { pathname, search } = new URL(String(address));
  return pathname + search;
};
