import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export type ProxyResponse = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** Requests a URL through the proxy as a browser does. Rejects when the response is cut off. */
export const requestThroughProxy = (
  proxyUrl: string,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<ProxyResponse> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(proxyUrl);
    const outgoing = request({
      port,
      host: '127.0.0.1',
      path: url,
      agent: false,
      maxHeaderSize: 64 * 1024,
      signal: options.signal,
      method: options.method ?? 'GET',
      headers: { host: 'host.header.test', ...options.headers },
    });
    outgoing.once('error', reject).once('response', (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    outgoing.end(options.body);
  });

/** Writes bytes to the proxy, and returns everything that it sends until it closes the connection. */
export const writeThroughProxy = async (proxyUrl: string, bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
  socket.on('error', () => {}).write(bytes);
  return text(socket);
};

/** Opens a tunnel. `head` is the response: status line and headers, and the body of an error. */
export const openTunnel = (proxyUrl: string, authority: string): Promise<{ head: string; socket: Socket }> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(proxyUrl).port), '127.0.0.1');
    socket.once('error', reject).once('data', (head) => resolve({ head: head.toString(), socket }));
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  });
