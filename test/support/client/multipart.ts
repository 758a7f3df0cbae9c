import type { ApiClient, ApiResponse } from './api-client.ts';

/** A file of a form. `type` is its content type; without one the client sends application/octet-stream. */
export type FormFile = { name: string; content: string | Uint8Array; type?: string };
export type FormEntry = [name: string, value: string | FormFile];

export const file = (name: string, content: string | Uint8Array, type?: string): FormFile => ({
  name,
  content,
  ...(type === undefined ? {} : { type }),
});

const formOf = (entries: readonly FormEntry[]): FormData => {
  const form = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value.content as string], { type: value.type ?? '' }), value.name);
  }
  return form;
};

/** POST /render with a form. */
export const postForm = (
  caller: ApiClient,
  entries: readonly FormEntry[],
  { path = '/api/v1/render', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<ApiResponse> => caller.request('POST', path, { body: formOf(entries), headers });

/** POST /render with the bytes of a multipart body; line breaks are written as CR LF. */
export const postRawForm = (
  caller: ApiClient,
  body: string,
  { contentType = 'multipart/form-data; boundary=XX', headers = {} } = {},
): Promise<ApiResponse> =>
  caller.request('POST', '/api/v1/render', {
    body: body.replaceAll('\n', '\r\n'),
    headers: { 'content-type': contentType, ...headers },
  });

/** An SVG image of one colour, which is then a fill colour of the page. */
export const svgOf = (colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${colour}"/>` +
  '</svg>';
