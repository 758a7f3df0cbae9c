import { expect } from 'vitest';
import type {
  CreateTemplateResponse,
  TemplateResponse,
  ListedTemplateVersion,
  UpdateTemplateResponse,
} from '#contracts/http/template-responses.ts';
import { type ApiResponse, type Body, type ApiClient, type RenderResult } from './api-client.ts';
import { readPdf } from '../documents/read-pdf.ts';

const templatesPath = '/api/v1/templates';
let names = 0;

/** A client for templates. `id` is `tpl_<id>`; paths below it begin with a slash. */
export const createTemplateClient = (client: ApiClient) => {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> =>
    client.request(
      method,
      templatesPath + path,
      body === undefined
        ? { headers }
        : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
    );
  const expectStatus = async <T>(status: number, pending: Promise<ApiResponse>): Promise<T> => {
    const response = await pending;
    expect(response.status, response.text.slice(0, 500)).toBe(status);
    return response.body as T;
  };
  const render = (id: string, data: Body, fields: Body = {}): Promise<ApiResponse> =>
    client.postRender({ mode: 'RENDER', template_id: id, data, ...fields });
  return {
    send,
    post: (body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> =>
      send('POST', '', body, headers),
    /** Creates a template, by default with a unique name; fails the test if it does not succeed. */
    create: (content: string, fields: Body = {}): Promise<CreateTemplateResponse> =>
      expectStatus(201, send('POST', '', { name: `Template ${++names}`, content, ...fields })),
    update: (id: string, fields: Body): Promise<UpdateTemplateResponse> =>
      expectStatus(200, send('PUT', `/${id}`, fields)),
    get: (id: string): Promise<TemplateResponse> => expectStatus(200, send('GET', `/${id}`)),
    versions: async (id: string): Promise<ListedTemplateVersion[]> =>
      (await expectStatus<{ versions: ListedTemplateVersion[] }>(200, send('GET', `/${id}/versions`))).versions,
    /** Renders the template and returns any response. */
    render,
    /** The text of a render; fails the test if it does not succeed. */
    renderText: async (id: string, data: Body, fields: Body = {}): Promise<string> => {
      const { pdf_base64: pdf } = await expectStatus<RenderResult>(200, render(id, data, fields));
      return (await readPdf(pdf))
        .map(({ text }) => text)
        .join('\n')
        .trim();
    },
    expectStatus,
  };
};
export type TemplateClient = ReturnType<typeof createTemplateClient>;
