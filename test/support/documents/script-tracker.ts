import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '../wait-until.ts';

/** A server to which documents report that they run in the browser. */
export const openScriptTracker = async () => {
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    calls.set(request.url!, (calls.get(request.url!) ?? 0) + 1);
    if (request.url === '/silence') return;
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    /** A document that reports as soon as it runs. */
    document: (name: string, text = name): string => `<p>${text}</p><script>fetch("http://${host}/${name}")</script>`,
    /** A document that reports, and then waits for an image that never loads. */
    endlessDocument: (name: string): string =>
      `<script>fetch("http://${host}/${name}")</script><img src="http://${host}/silence">`,
    /** Resolves once the document has run `times` times. */
    waitUntilRun: (name: string, times = 1): Promise<unknown> =>
      waitUntil(`${name} runs for the ${times}. time`, () => (calls.get(`/${name}`) ?? 0) >= times),
    close: () => server.close().closeAllConnections(),
  };
};
export type ScriptTracker = Awaited<ReturnType<typeof openScriptTracker>>;
