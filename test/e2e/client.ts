import { expect } from 'vitest';
import { readPdf, type PdfPage } from './pdf.ts';

export type Body = { [field: string]: unknown; error?: string; message?: string; code?: number; request_id?: string };
export type Answer = { status: number; headers: Headers; text: string; body: Body };
export type Rendered = { id: string; status: 'DONE'; pdf_base64: string; pages: number; file_size_kb: number; duration_ms: number; created_at: string };

const read = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as Body) : {};
  return { status: response.status, headers: response.headers, text, body };
};

/** What a caller of the API can do, with a key or without one. */
export const clientOf = (url: string, key: string | null) => {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const ask = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> =>
    read(await fetch(url + path, { ...init, method, headers: { ...authorization, ...(init.headers as Record<string, string>) } }));
  const post = (body: unknown, init: RequestInit = {}): Promise<Answer> =>
    ask('POST', '/api/v1/render', {
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    });
  const convert = (inputType: string, data: unknown, options: Body = {}): Promise<Answer> => post({ mode: 'CONVERT', input_type: inputType, data, ...options });
  return {
    ask,
    /** POST /render with a body as it stands, or the JSON of a value. */
    post,
    convert,
    /** A render that has to succeed. */
    render: async (inputType: string, data: unknown, options: Body = {}): Promise<Rendered> => {
      const answer = await convert(inputType, data, options);
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      return answer.body as Rendered;
    },
    /** The pages of a render that has to succeed. */
    pages: async (inputType: string, data: unknown, options: Body = {}): Promise<PdfPage[]> => {
      const answer = await convert(inputType, data, options);
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      return readPdf((answer.body as Rendered).pdf_base64);
    },
  };
};
export type Client = ReturnType<typeof clientOf>;
