import type { RenderDetailResponse } from '#contracts/http/render-detail.ts';
import { parseExactJson } from '#contracts/http/exact-numbers.ts';

/** The texts of a recorded request; null if a text is not kept, is not text, or is too long for a command. */
export type RequestTexts = { input: string | null; header: string | null; footer: string | null };

/** Longer inputs are downloaded by a command of their own. */
export const maxInlineCharacters = 8_000;

export const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Says why a request failed, and ends with an error: without these options the error would be saved as the PDF. */
const curl = 'curl -sS --fail-with-body';
const authorization = '-H "Authorization: Bearer $COLOPHON_KEY"';

const extensionOf = ({ input_type: type }: RenderDetailResponse): string =>
  ({ markdown: 'md', url: 'txt' })[type ?? ''] ?? type ?? 'json';

const parseJson = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
};

/** The fields of the request besides the input. */
const fieldsOf = (render: RenderDetailResponse, { header, footer }: RequestTexts): Record<string, unknown> => {
  const { request, webhook_url: url, file_name: fileName } = render;
  const headersOf = (headers: Record<string, string> | undefined) =>
    headers && Object.keys(headers).length > 0 ? headers : undefined;
  const cookies = Object.entries(request.url_cookies ?? {}).map(([name, value]) => ({ name, value }));
  const fields = {
    mode: render.mode,
    input_type: render.input_type,
    template_id: render.template_id,
    template_version: render.template_version,
    ...request.options,
    header_html: header ?? undefined,
    footer_html: footer ?? undefined,
    file_name: fileName,
    url_headers: headersOf(request.url_headers),
    url_cookies: cookies.length > 0 ? cookies : undefined,
    webhook_url: url,
    webhook_method: request.webhook_method === 'POST' ? undefined : request.webhook_method,
    webhook_headers: headersOf(request.webhook_headers),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
};

/** Several images are a ZIP file; -OJ takes the name of the file from the response. */
const receive = ({ id, output }: RenderDetailResponse): string =>
  output === undefined
    ? `-H 'Accept: application/pdf' -o ${id}.pdf`
    : `-H 'Accept: image/${output}, application/zip' -OJ`;

const commandOf = (render: RenderDetailResponse, origin: string): string => {
  const path = render.asynchronous && render.webhook_url === undefined ? '/render/async' : '/render';
  const output = render.asynchronous ? '' : ` \\\n  ${receive(render)}`;
  return `${curl} ${origin}/api/v1${path} ${authorization}${output}`;
};

/** The body of a composed document: its recorded parts and the options of the whole. */
const composedCommand = (render: RenderDetailResponse, texts: RequestTexts, origin: string): string =>
  `${curl} ${origin}/api/v1/renders/${render.id}/input ${authorization} -o parts.json\n\n` +
  `jq ${quoteForShell(`. + ${JSON.stringify(fieldsOf(render, texts))}`)} parts.json |\n${commandOf(render, origin)} \\\n` +
  `  -H 'Content-Type: application/json' \\\n  -d @-`;

const inlineCommand = (render: RenderDetailResponse, texts: RequestTexts, input: string, origin: string): string => {
  const data = render.mode === 'RENDER' || render.input_type === 'json' ? parseJson(input) : input;
  const body = JSON.stringify({ ...fieldsOf(render, texts), data }, null, 2);
  return `${commandOf(render, origin)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoteForShell(body)}`;
};

const fileCommand = (render: RenderDetailResponse, texts: RequestTexts, origin: string): string => {
  const file = `input.${extensionOf(render)}`;
  const part = render.mode === 'RENDER' ? `data=<${file}` : `file=@${file}`;
  const options = JSON.stringify(fieldsOf(render, texts));
  return (
    `${curl} ${origin}/api/v1/renders/${render.id}/input ${authorization} -o ${file}\n\n` +
    `${commandOf(render, origin)} \\\n  -F ${part} \\\n  -F ${quoteForShell(`options=${options}`)}`
  );
};

/** The request of a render as a command. Keys are the variable COLOPHON_KEY; other secrets are `***`, as recorded. */
export const curlOf = (render: RenderDetailResponse, texts: RequestTexts, origin: string): string =>
  render.mode === 'COMPOSE'
    ? composedCommand(render, texts, origin)
    : texts.input === null || texts.input.length > maxInlineCharacters
      ? fileCommand(render, texts, origin)
      : inlineCommand(render, texts, texts.input, origin);

export const repeatCurlOf = (render: RenderDetailResponse, origin: string): string =>
  `${curl} -X POST ${origin}/api/v1/renders/${render.id}/repeat ${authorization} \\\n  ${receive(render)}`;

export const verifyCurlOf = ({ id }: RenderDetailResponse, origin: string): string =>
  `${curl} -X POST ${origin}/api/v1/renders/${id}/verify ${authorization}`;
