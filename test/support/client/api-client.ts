import { expect } from 'vitest';
import { waitUntil } from '../wait-until.ts';
import { readPdf, type PdfPage } from '../documents/read-pdf.ts';

export type Body = { [field: string]: unknown; error?: string; message?: string; code?: number; request_id?: string };
export type ApiResponse = { status: number; headers: Headers; text: string; body: Body };
export type RenderResult = {
  id: string;
  status: 'DONE';
  pdf_base64: string;
  pages: number;
  file_size_kb: number;
  duration_ms: number;
  created_at: string;
  warnings?: Record<string, unknown>[];
};

const readResponse = async (response: Response): Promise<ApiResponse> => {
  const text = await response.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as Body) : {};
  return { status: response.status, headers: response.headers, text, body };
};

/**
 * Whether the read models lag behind the last write for longer than the service waits, as they may on a busy machine.
 * The service has done nothing then, so the caller asks again. Other routes have this error after they have changed
 * something.
 */
const isTooEarly = (method: string, path: string, { status, body }: ApiResponse): boolean =>
  status === 503 &&
  body.message?.includes('cannot be shown yet') === true &&
  (method === 'GET' || (method === 'POST' && /^\/api\/v1\/(?:render|templates)/.test(path)));

/** A client of the API, with or without a key. */
export const createClient = (url: string, key: string | null) => {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const send = async (method: string, path: string, init: RequestInit): Promise<ApiResponse> =>
    readResponse(
      await fetch(url + path, {
        ...init,
        method,
        headers: { ...authorization, ...(init.headers as Record<string, string>) },
      }),
    );
  const request = (method: string, path: string, init: RequestInit = {}): Promise<ApiResponse> =>
    waitUntil('what was written is shown', async () => {
      const response = await send(method, path, init);
      return isTooEarly(method, path, response) ? null : response;
    });
  const postRender = (body: unknown, init: RequestInit = {}): Promise<ApiResponse> =>
    request('POST', '/api/v1/render', {
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
  const convert = (inputType: string, data: unknown, options: Body = {}): Promise<ApiResponse> =>
    postRender({ mode: 'CONVERT', input_type: inputType, data, ...options });
  return {
    request,
    /** POST /render with a text or bytes, or with a value as JSON. */
    postRender,
    convert,
    /** A render; fails the test if it does not succeed. */
    render: async (inputType: string, data: unknown, options: Body = {}): Promise<RenderResult> => {
      const response = await convert(inputType, data, options);
      expect(response.status, response.text.slice(0, 500)).toBe(200);
      return response.body as RenderResult;
    },
    /** The pages of a render; fails the test if it does not succeed. */
    renderedPages: async (inputType: string, data: unknown, options: Body = {}): Promise<PdfPage[]> => {
      const response = await convert(inputType, data, options);
      expect(response.status, response.text.slice(0, 500)).toBe(200);
      return readPdf((response.body as RenderResult).pdf_base64);
    },
  };
};
export type ApiClient = ReturnType<typeof createClient>;
