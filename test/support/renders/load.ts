import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type ApiClient } from '../client/api-client.ts';
import { smallRequest } from '../client/job-client.ts';

export type Load = {
  /** The accepted jobs so far. */
  accepted: string[];
  /** The responses with a status other than 200 and 503. */
  unexpectedResponses: string[];
  /** Stops sending; resolves after the last response. */
  stop(): Promise<void>;
};

const intervalMs = 250;

/** Sends render requests at an interval, without waiting for their responses. One in four is synchronous. */
export const startLoad = (client: ApiClient): Load => {
  const accepted: string[] = [];
  const unexpectedResponses: string[] = [];
  let isStopped = false;
  const pending = new Set<Promise<void>>();

  const record = ({ status, text, body }: ApiResponse, awaited: boolean): void => {
    if (status === 200) accepted.push(String(awaited ? body['id'] : body['job_id']).replace('render_', 'job_'));
    else if (status !== 503) unexpectedResponses.push(`${status} ${text.slice(0, 300)}`);
  };
  const send = async (number: number): Promise<void> => {
    const awaited = number % 4 === 0;
    const path = awaited ? '/api/v1/render' : '/api/v1/render/async';
    const response = await client
      .request('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(smallRequest) })
      .catch((error: unknown) => String(error));
    if (typeof response === 'string') unexpectedResponses.push(response);
    else record(response, awaited);
  };
  const running = (async () => {
    for (let number = 0; !isStopped; number += 1) {
      const sending: Promise<void> = send(number).finally(() => pending.delete(sending));
      pending.add(sending);
      await pause(intervalMs);
    }
    await Promise.all(pending);
  })();

  return {
    accepted,
    unexpectedResponses,
    stop: () => {
      isStopped = true;
      return running;
    },
  };
};
