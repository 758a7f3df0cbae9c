import { request } from 'node:http';

const readText = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  let text = '';
  for await (const piece of stream) {
    text += piece.toString('utf8');
    if (text.length > 500) break;
  }
  return text.trim().slice(0, 500);
};

const authority = (url: URL) => `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;

/** Asks the proxy once more for what it did not let through: a browser hides the answer to CONNECT. Undefined where the proxy now lets it through or says nothing. */
export const fetchProxyError = (proxy: string, address: string): Promise<string | undefined> => {
  const url = new URL(address);
  const { hostname, port } = new URL(proxy);
  const tunnel = url.protocol === 'https:';
  return new Promise((resolve) => {
    const asked = request({
      hostname,
      port,
      method: tunnel ? 'CONNECT' : 'GET',
      path: tunnel ? authority(url) : url.href,
      headers: { host: url.host },
      agent: false,
      timeout: 3000,
    });
    const end = (reason: string | undefined) => {
      asked.destroy();
      resolve(reason || undefined);
    };
    asked.once('error', () => end(undefined)).once('timeout', () => end(undefined));
    asked.once('connect', (response, socket, head) => {
      // The answer to CONNECT has no body for node:http; what the proxy wrote follows on the socket.
      if (response.statusCode === 200) return end(undefined);
      socket.unshift(head);
      void readText(socket).then(end, () => end(undefined));
    });
    asked.once('response', (response) => {
      if (response.headers['x-colophon-refused'] === undefined && ![502, 504].includes(response.statusCode ?? 0))
        return end(undefined);
      void readText(response).then(end, () => end(undefined));
    });
    asked.end();
  });
};
