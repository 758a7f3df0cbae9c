import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type ProxyResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** Asks the proxy for a URL as a browser does; rejects where the answer is cut off. */
export const requestThroughProxy = (
  proxyUrl: string,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<ProxyResponse> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(proxyUrl);
    const asking = request({
      port,
      host: '127.0.0.1',
      path: url,
      agent: false,
      signal: options.signal,
      method: options.method ?? 'GET',
      headers: { host: 'as.the.browser.says', ...options.headers },
    });
    asking.once('error', reject).once('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    asking.end(options.body);
  });

/** Writes bytes to the proxy and gives all that comes back until it closes. */
export const writeThroughProxy = async (proxyUrl: string, words: string): Promise<string> => {
  const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
  socket.on('error', () => {}).write(words);
  return text(socket);
};

/** Asks for a tunnel; the socket where it stands, else the head and body of the refusal. */
export const openTunnel = (proxyUrl: string, authority: string): Promise<{ head: string; socket: Socket }> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    socket.once('error', reject).once('data', (head) => resolve({ head: head.toString(), socket }));
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  });
