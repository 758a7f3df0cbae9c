import { invoice } from './fixtures/invoice.ts';
import { type Bench, requireStatus } from './service.ts';

export const bodyOf = (index: number, more: object = {}): string =>
  JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index), ...more });
/** Sends the request of an asynchronous render; the response has its id. */
export const accept = ({ request }: Bench, index: number, more?: object): Promise<Buffer> =>
  request('POST', '/api/v1/render/async', bodyOf(index, more)).then((response) => requireStatus(response));

/** Runs `act` `count` times, `concurrency` at once. Returns the duration of each in milliseconds. */
export const timesOf = async (
  count: number,
  concurrency: number,
  act: (index: number) => Promise<unknown>,
): Promise<number[]> => {
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      const start = performance.now();
      await act(next++);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return times;
};
