import { expect } from 'vitest';
import type { JobResponse } from '#contracts/http/jobs.ts';
import type { ApiResponse, Body, ApiClient } from './api-client.ts';
import { waitUntil } from '../wait-until.ts';

export type QueuedResult = {
  id: string;
  job_id: string;
  status: 'QUEUED';
  webhook_url?: string;
  estimated_time_ms: number;
  created_at: string;
};
type HistoryEvent = {
  id: string;
  type: string;
  time: string;
  actor: { kind: string };
  trace_id: string | null;
  data: Body;
};

export const smallRequest = { mode: 'CONVERT', input_type: 'html', data: '<p>small</p>' };

const json = { 'content-type': 'application/json' };

/** A client for jobs. */
export const createJobClient = (client: ApiClient) => {
  const postJson = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    client.request('POST', path, { headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const get = async (jobId: string): Promise<JobResponse> => {
    const response = await client.request('GET', `/api/v1/jobs/${jobId}`);
    expect(response.status, response.text).toBe(200);
    return response.body as unknown as JobResponse;
  };
  /** Like `get`, but null if the job cannot be shown yet. */
  const getIfShown = async (jobId: string): Promise<JobResponse | null> => {
    const response = await client.request('GET', `/api/v1/jobs/${jobId}`);
    if (response.status === 503 && response.body['retry_after']) return null;
    expect(response.status, response.text).toBe(200);
    return response.body as unknown as JobResponse;
  };
  const accepted = (response: ApiResponse): QueuedResult => {
    expect(response.status, response.text).toBe(200);
    return response.body as unknown as QueuedResult;
  };
  return {
    postJson,
    /** POST /render; fails the test if it is not accepted. */
    submit: async (fields: Body, source: Body = smallRequest): Promise<QueuedResult> =>
      accepted(await client.postRender({ ...source, ...fields })),
    /** POST /render/async; fails the test if it is not accepted. */
    submitAsync: async (fields: Body = {}, source: Body = smallRequest): Promise<QueuedResult> =>
      accepted(await postJson('/api/v1/render/async', { ...source, ...fields })),
    get,
    events: async (jobId: string): Promise<HistoryEvent[]> =>
      (await client.request('GET', `/api/v1/jobs/${jobId}/events`)).body.events as HistoryEvent[],
    /** Resolves with the job once `isExpected` is true. */
    waitUntilJob: (jobId: string, what: string, isExpected: (job: JobResponse) => boolean): Promise<JobResponse> =>
      waitUntil(`${jobId} ${what}`, async () => {
        const job = await getIfShown(jobId);
        return job && isExpected(job) ? job : null;
      }),
    waitUntilEnded: (jobId: string): Promise<JobResponse> =>
      waitUntil(`${jobId} ends`, async () => {
        const job = await getIfShown(jobId);
        return job?.status === 'DONE' || job?.status === 'FAILED' ? job : null;
      }),
  };
};
export type JobClient = ReturnType<typeof createJobClient>;

/** The path and query of a URL. The port of a test service differs from its settings. */
export const pathAndQueryOf = (address: unknown): string => {
  const { pathname, search } = new URL(String(address));
  return pathname + search;
};
