import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ApiResponse, Body } from './api-client.ts';

/** A TCP connection to the service, for requests that a client library does not send. `received` is all data so far. */
export const openRawConnection = async (url: string) => {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  const received = { text: '' };
  socket.on('data', (text: Buffer) => (received.text += text.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, received, closed };
};

/** Parses the first HTTP response in a text. */
export const parseHttpResponse = (text: string): ApiResponse => {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = text.slice(end + 4);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text: body,
    body: body.startsWith('{') ? (JSON.parse(body) as Body) : {},
  };
};

/** Sends the text and reads until the service closes the connection. */
export const sendRawRequest = async (url: string, text: string): Promise<ApiResponse> => {
  const { socket, received, closed } = await openRawConnection(url);
  socket.write(text);
  await closed;
  return parseHttpResponse(received.text);
};
