import type { Dispatcher } from 'undici';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import { failureError, timeoutError, toEgressError } from './errors.ts';
import { targetOfUrl } from './target.ts';

const timeoutMs = 10_000;
const maxBytes = 1024 * 1024;
const bodyless = new Set([101, 204, 205, 304]);

export type ProviderRequest = {
  method?: string;
  headers?: Record<string, string> | undefined;
  body?: string | undefined;
};

const readBody = async (body: AsyncIterable<Buffer>, host: string): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw failureError(`${host} responded with more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Sends a request to the identity provider of the operator, and reads the whole response: at most 1 MiB within 10 s.
 * Redirects are not followed. @throws EgressError
 */
export const requestProvider = async (
  dispatcher: Dispatcher,
  url: string,
  { method = 'GET', headers = {}, body }: ProviderRequest,
): Promise<Response> => {
  const {
    url: { origin, pathname, search },
    target: { host },
  } = targetOfUrl(url);
  return runWithTimeout(
    timeoutMs,
    async (signal) => {
      const response = await dispatcher.request({
        origin,
        path: pathname + search,
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body }),
      });
      const bytes = await readBody(response.body, host);
      const type = response.headers['content-type'];
      return new Response(bodyless.has(response.statusCode) ? null : new Uint8Array(bytes), {
        status: response.statusCode,
        headers: typeof type === 'string' ? { 'content-type': type } : {},
      });
    },
    { createError: () => timeoutError(`${host} did not respond within ${timeoutMs / 1000} s.`) },
  ).catch((error: unknown) => {
    throw toEgressError(host, error);
  });
};
