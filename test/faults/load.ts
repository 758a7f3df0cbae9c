import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Client } from '../e2e/client.ts';
import { small } from '../e2e/jobs.ts';

export type Load = {
  /** The jobs that were accepted so far. */
  accepted: string[];
  /** The answers that were neither an acceptance nor a request to come again. */
  surprises: string[];
  /** How often callers were told to come again. */
  refused(): number;
  /** Ends the load; resolves when the last answer is there. */
  stop(): Promise<void>;
};

const everyMs = 60;

/** Asks for a render again and again, asynchronously and not in turns, whatever becomes of it. */
export const startLoad = (client: Client): Load => {
  const accepted: string[] = [];
  const surprises: string[] = [];
  let refused = 0;
  let over = false;
  const under = new Set<Promise<void>>();

  const note = ({ status, text, body }: Answer, awaited: boolean): void => {
    if (status === 200) accepted.push(String(awaited ? body['id'] : body['job_id']).replace('render_', 'job_'));
    else if (status === 503) refused += 1;
    else surprises.push(`${status} ${text.slice(0, 300)}`);
  };
  const ask = async (number: number): Promise<void> => {
    const awaited = number % 4 === 0;
    const path = awaited ? '/api/v1/render' : '/api/v1/render/async';
    const answer = await client.ask('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(small) }).catch((error: unknown) => String(error));
    if (typeof answer === 'string') surprises.push(answer);
    else note(answer, awaited);
  };
  const running = (async () => {
    for (let number = 0; !over; number += 1) {
      const one: Promise<void> = ask(number).finally(() => under.delete(one));
      under.add(one);
      await pause(everyMs);
    }
    await Promise.all(under);
  })();

  return {
    accepted,
    surprises,
    refused: () => refused,
    stop: () => {
      over = true;
      return running;
    },
  };
};
