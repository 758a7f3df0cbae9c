import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, type Session } from '../cdp/connection.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of the heap that are in use. */
export const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** The session of a page without a browser: a test sends the events, and the answer to each command. */
export const openSimulatedPage = (): {
  session: Session;
  answer: (id: number, result?: object) => void;
  send: (method: string, params: object) => void;
} => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const receive = (message: object): void => void fromBrowser.write(`${JSON.stringify(message)}\0`);
  return {
    session: connect(toBrowser, fromBrowser).session('page'),
    answer: (id, result = {}) => receive({ id, result }),
    send: (method, params) => receive({ method, params, sessionId: 'page' }),
  };
};
