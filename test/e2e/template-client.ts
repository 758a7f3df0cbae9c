import { expect } from 'vitest';
import type { CreatedTemplate, Template, TemplateVersionEntry, UpdatedTemplate } from '#contracts/http/template-answers.ts';
import { type Answer, type Body, type Client, type Rendered } from './client.ts';
import { readPdf } from './pdf.ts';

const place = '/api/v1/templates';
let names = 0;

/** What a caller can do with templates. `id` is `tpl_<id>`, and paths below it begin with a slash. */
export const templatesOf = (client: Client) => {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    client.ask(method, place + path, body === undefined ? { headers } : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  const ok = async <T>(status: number, answering: Promise<Answer>): Promise<T> => {
    const answer = await answering;
    expect(answer.status, answer.text.slice(0, 500)).toBe(status);
    return answer.body as T;
  };
  const render = (id: string, data: Body, fields: Body = {}): Promise<Answer> => client.post({ mode: 'RENDER', template_id: id, data, ...fields });
  return {
    send,
    post: (body: unknown, headers: Record<string, string> = {}): Promise<Answer> => send('POST', '', body, headers),
    /** Creates a template, which has to succeed; under a name of its own unless the fields say otherwise. */
    create: (content: string, fields: Body = {}): Promise<CreatedTemplate> => ok(201, send('POST', '', { name: `Template ${++names}`, content, ...fields })),
    update: (id: string, fields: Body): Promise<UpdatedTemplate> => ok(200, send('PUT', `/${id}`, fields)),
    get: (id: string): Promise<Template> => ok(200, send('GET', `/${id}`)),
    versions: async (id: string): Promise<TemplateVersionEntry[]> => (await ok<{ versions: TemplateVersionEntry[] }>(200, send('GET', `/${id}/versions`))).versions,
    /** A render of the template, whatever becomes of it. */
    render,
    /** The text of a render that has to succeed. */
    text: async (id: string, data: Body, fields: Body = {}): Promise<string> => {
      const { pdf_base64: pdf } = await ok<Rendered>(200, render(id, data, fields));
      return (await readPdf(pdf)).map(({ text }) => text).join('\n').trim();
    },
    ok,
  };
};
export type Templates = ReturnType<typeof templatesOf>;
