import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type ApiClient } from '../client/api-client.ts';
import { smallRequest } from '../client/job-client.ts';

export type Load = {
  /** The jobs that were accepted so far. */
  accepted: string[];
  /** The answers that were neither an acceptance nor a request to come again. */
  unexpectedResponses: string[];
  /** How often callers were told to come again. */
  refusedCount(): number;
  /** Ends the load; resolves when the last answer is there. */
  stop(): Promise<void>;
};

const intervalMs = 60;

/** Asks for a render again and again, asynchronously and not in turns, whatever becomes of it. */
export const startLoad = (client: ApiClient): Load => {
  const accepted: string[] = [];
  const surprises: string[] = [];
  let refused = 0;
  let over = false;
  const under = new Set<Promise<void>>();

  const note = ({ status, text, body }: ApiResponse, awaited: boolean): void => {
    if (status === 200) accepted.push(String(awaited ? body['id'] : body['job_id']).replace('render_', 'job_'));
    else if (status === 503) refused += 1;
    else surprises.push(`${status} ${text.slice(0, 300)}`);
  };
  const ask = async (number: number): Promise<void> => {
    const awaited = number % 4 === 0;
    const path = awaited ? '/api/v1/render' : '/api/v1/render/async';
    const response = await client
      .request('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(smallRequest) })
      .catch((error: unknown) => String(error));
    if (typeof response === 'string') surprises.push(response);
    else note(response, awaited);
  };
  const running = (async () => {
    for (let number = 0; !over; number += 1) {
      const one: Promise<void> = ask(number).finally(() => under.delete(one));
      under.add(one);
      await pause(intervalMs);
    }
    await Promise.all(under);
  })();

  return {
    accepted,
    unexpectedResponses: surprises,
    refusedCount: () => refused,
    stop: () => {
      over = true;
      return running;
    },
  };
};
