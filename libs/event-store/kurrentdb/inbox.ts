import { setImmediate as turn } from 'node:timers/promises';
import type { ReadResp } from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { Responses } from './connection.ts';

/** What has come of a subscription and was not taken yet. The server is held back where it is much. */
export type Inbox = {
  /** Waits until something is there, or `signal` aborts. Fails as the subscription did, after all that came before was taken. */
  filled(signal: AbortSignal): Promise<void>;
  /** What has arrived. */
  take(): ReadResp[];
  close(): void;
};

export const openInbox = (responses: Responses, most: number): Inbox => {
  let arrived: ReadResp[] = [];
  let failure: Error | undefined;
  let bell = Promise.withResolvers<void>();

  const ring = (): void => {
    bell.resolve();
    bell = Promise.withResolvers();
  };
  const fail = (error: Error): void => {
    failure ??= error;
    ring();
  };

  responses.on('data', (response: ReadResp) => {
    arrived.push(response);
    if (arrived.length >= most) responses.pause();
    ring();
  });
  responses.on('error', fail);
  responses.on('end', () => fail(new Error('the server has ended the subscription')));

  return {
    filled: async (signal) => {
      signal.addEventListener('abort', ring);
      while (arrived.length === 0 && failure === undefined && !signal.aborted) await bell.promise;
      signal.removeEventListener('abort', ring);
      // What comes in one packet is told one by one: a turn later all of it is here.
      await turn();
      if (arrived.length === 0 && failure !== undefined) throw failure;
    },
    take: () => {
      const taken = arrived;
      arrived = [];
      responses.resume();
      return taken;
    },
    close: () => responses.cancel(),
  };
};
