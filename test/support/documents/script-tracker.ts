import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '../wait-until.ts';

const heldPath = '/held/';

/** A server to which documents report that they run in the browser. It listens on `address`, an IP address of the machine. */
export const openScriptTracker = async (address = '127.0.0.1') => {
  const calls = new Map<string, number>();
  const released = new Map<string, PromiseWithResolvers<void>>();
  const releaseOf = (name: string): PromiseWithResolvers<void> => {
    const known = released.get(name) ?? Promise.withResolvers<void>();
    released.set(name, known);
    return known;
  };
  const server = createServer((request, response) => {
    calls.set(request.url!, (calls.get(request.url!) ?? 0) + 1);
    if (request.url === '/silence') return;
    if (request.url!.startsWith(heldPath)) {
      const respond = () =>
        response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>');
      void releaseOf(request.url!.slice(heldPath.length)).promise.then(respond);
      return;
    }
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const host = `${address}:${(server.address() as AddressInfo).port}`;
  return {
    host,
    /** A document that reports as soon as it runs. */
    document: (name: string, text = name): string => `<p>${text}</p><script>fetch("http://${host}/${name}")</script>`,
    /** A document that reports, and then waits for an image that never loads. */
    endlessDocument: (name: string): string =>
      `<script>fetch("http://${host}/${name}")</script><img src="http://${host}/silence">`,
    /** A document that reports, and then waits for `release`. */
    heldDocument: (name: string): string =>
      `<p>${name}</p><script>fetch("http://${host}/${name}")</script><img src="http://${host}${heldPath}${name}">`,
    /** A document without scripts that waits for `release`. */
    heldImage: (name: string): string => `<p>${name}</p><img src="http://${host}${heldPath}${name}">`,
    release: (name: string): void => releaseOf(name).resolve(),
    /** Resolves once the document has run `times` times. */
    waitUntilRun: (name: string, times = 1): Promise<unknown> =>
      waitUntil(`${name} runs for the ${times}. time`, () => (calls.get(`/${name}`) ?? 0) >= times),
    /** Resolves once a document with `heldImage` waits. */
    waitUntilHeld: (name: string): Promise<unknown> =>
      waitUntil(`${name} waits`, () => (calls.get(heldPath + name) ?? 0) > 0),
    close: () => server.close().closeAllConnections(),
  };
};
export type ScriptTracker = Awaited<ReturnType<typeof openScriptTracker>>;
