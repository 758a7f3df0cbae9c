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

/**
 * Repeats a failed request to read the proxy's error text: a browser hides the response to CONNECT. Undefined if the
 * proxy now succeeds or sends no text.
 */
export const fetchProxyError = async (proxy: string, target: string): Promise<string | undefined> => {
  // The browser takes more hosts as valid, such as `http://a b/`.
  const url = URL.parse(target);
  if (url === null) return 'the URL is not valid';
  const { hostname, port } = new URL(proxy);
  const isTunnel = url.protocol === 'https:';
  return new Promise((resolve) => {
    const clientRequest = request({
      hostname,
      port,
      method: isTunnel ? 'CONNECT' : 'GET',
      path: isTunnel ? authority(url) : url.href,
      headers: { host: url.host },
      agent: false,
      timeout: 3000,
    });
    const end = (reason: string | undefined) => {
      clientRequest.destroy();
      resolve(reason || undefined);
    };
    clientRequest.once('error', () => end(undefined)).once('timeout', () => end(undefined));
    clientRequest.once('connect', (response, socket, head) => {
      // For node:http the response to CONNECT has no body; the proxy's text follows on the socket.
      if (response.statusCode === 200) return end(undefined);
      socket.unshift(head);
      void readText(socket).then(end, () => end(undefined));
    });
    clientRequest.once('response', (response) => {
      if (response.headers['x-colophon-error'] === undefined) return end(undefined);
      void readText(response).then(end, () => end(undefined));
    });
    clientRequest.end();
  });
};
