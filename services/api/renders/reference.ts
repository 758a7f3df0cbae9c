import { z } from 'zod';
import type { ErrorName } from '#contracts/http/errors.ts';
import { optionTables } from '../docs/openapi/option-table.ts';
import { type Example, renderingErrors } from '../server/route.ts';

/** The id of a recorded render in a path. */
export const renderParams = z.object({
  id: z.string().describe('render_<id>, or the job_<id> of an asynchronous render.'),
});

/** The errors of a render: in its document, and in its rendering. */
export const documentErrors = [
  'invalid_html',
  'invalid_docx',
  'invalid_document',
  'office_not_installed',
  'invalid_markdown',
  'template_render_error',
  'url_load_failed',
  ...renderingErrors,
] as const satisfies ErrorName[];

/** Example requests. */
export const renderExamples: Record<string, Example> = {
  markdown: {
    summary: 'Markdown',
    value: {
      mode: 'CONVERT',
      input_type: 'markdown',
      data: '# Minutes\n\n| Item | Owner |\n|---|---|\n| Order paper | Ines |\n',
    },
  },
  html: {
    summary: 'HTML with page numbers',
    value: {
      mode: 'CONVERT',
      input_type: 'html',
      data: '<h1>Offer 2026-118</h1><p>Valid until the end of June.</p>',
      page_size: 'A4',
      margin_top: 25,
      footer_html: '<div style="text-align:center">{{page}} of {{total}}</div>',
    },
  },
  csv: {
    summary: 'CSV as a table',
    value: {
      mode: 'CONVERT',
      input_type: 'csv',
      data: 'Item,Price\nPaper,4.20\nInk,18.00\n',
      orientation: 'landscape',
    },
  },
  json: {
    summary: 'JSON as an array',
    value: {
      mode: 'CONVERT',
      input_type: 'json',
      data: [
        { city: 'Graz', year: 1981 },
        { city: 'Porto', year: 1996 },
      ],
    },
  },
  composed: {
    summary: 'One PDF of several parts, with a table of contents',
    value: {
      mode: 'COMPOSE',
      parts: [
        { mode: 'CONVERT', input_type: 'html', data: '<h1>Offer 2026-118</h1>', title: 'Offer', cover: true },
        { mode: 'CONVERT', input_type: 'markdown', data: '# Terms\n\n## Delivery\n\nSee [prices](part:2).\n' },
        { mode: 'CONVERT', input_type: 'csv', data: 'Item,Price\nPaper,4.20\n', title: 'Prices', start_on: 'right' },
      ],
      contents: true,
      outline: true,
      page_numbers: {},
    },
  },
  callback: {
    summary: 'With a callback',
    value: {
      mode: 'CONVERT',
      input_type: 'html',
      data: '<h1>Annual report</h1>',
      webhook_url: 'https://example.com/hooks/pdf',
      webhook_headers: { 'X-Tenant': 'north' },
    },
  },
  template: {
    summary: 'A stored template (replace tpl_... by an id of GET /templates, or of the response of POST /templates)',
    value: {
      mode: 'RENDER',
      template_id: 'tpl_...',
      data: { number: '2026-118', items: [{ name: 'Paper', price: 4.2 }] },
    },
  },
};

/** Example requests in multipart/form-data. */
export const multipartExamples: Record<string, Example> = {
  file: {
    summary: 'A file with its images (curl -F file=@report.md -F "assets=@img/logo.png;filename=img/logo.png")',
    value: { file: 'report.md', assets: ['img/logo.png'], page_size: 'A4', margin_top: 25 },
  },
  composed: {
    summary: 'One PDF of several files (curl -F files=@report.md -F files=@terms.pdf -F parts=...)',
    value: {
      files: ['report.md', 'terms.pdf'],
      parts: '[{"file": "report.md", "cover": true}, {"file": "terms.pdf", "title": "Terms"}]',
    },
  },
  template: {
    summary:
      'A stored template with data from a file (curl -F template_id=tpl_... -F data=@invoice.json; replace tpl_... by an id ' +
      'of GET /templates)',
    value: { template_id: 'tpl_...', data: '{"number": "2026-118", "items": []}' },
  },
};

const queued = {
  id: 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF',
  job_id: 'job_01JR04W1PD2M5S8V3Q6X9Z7TKF',
  status: 'QUEUED',
  webhook_url: 'https://example.com/hooks/pdf',
  estimated_time_ms: 120,
  created_at: '2026-03-02T09:15:04.211Z',
};
const done = {
  id: 'render_01JR04W1PD2M5S8V3Q6X9Z7TKF',
  status: 'DONE',
  pdf_base64: 'JVBERi0xLjQK...',
  pages: 1,
  file_size_kb: 14.27,
  duration_ms: 41,
  created_at: '2026-03-02T09:15:04.211Z',
};

/** The reference of POST /render, in Markdown. */
export const renderDescription = (): string =>
  `
Makes a PDF from the content of the request (\`CONVERT\`), from a stored template and data (\`RENDER\`), or from several parts
(\`COMPOSE\`): documents, templates and existing PDFs (\`mode: PDF\`), each with its own page options.
Each part that is made counts as one render; the limits of the plan hold for the whole document.

| To get | send |
|---|---|
| JSON with the PDF in \`pdf_base64\` | nothing further |
| the PDF itself, with \`X-Render-Id\` and \`X-Page-Count\` | \`Accept: application/pdf\`; errors are JSON even then |
| the pages as images, in \`file_base64\`; several as a ZIP file | \`output: "png"\`, \`"jpeg"\` or \`"webp"\` |
| the bytes of images | the same, and \`Accept: image/png, application/zip\` |
| an image of the first page beside the PDF | \`thumbnail: true\` |
| a link to the PDF, valid for an hour or as long as the account's settings say | \`keep_pdf: true\` |
| a job at once, and a signed callback later | \`webhook_url\` |
| a job at once, without a callback | the same body to \`POST /api/v1/render/async\` |
| the first PDF again after a lost response | the same \`Idempotency-Key\` |
| timings, fonts, console, failed resources | \`?diagnostics=true\` and a test key; the document is rendered twice |

**Input types**

| \`input_type\` | \`data\` | PDF |
|---|---|---|
| \`html\` | text or base64 | the page as a browser prints it |
| \`url\` | the URL of a page | the page at that URL |
| \`markdown\` | text or base64 | a formatted document; front matter can set options |
| \`docx\` | base64 | the Word document as Word shows it; with \`docx_layout: semantic\` its content in the style of the service |
| \`odt\`, \`rtf\`, \`doc\`, \`xlsx\`, \`pptx\` | base64 | the office document, laid out by LibreOffice |
| \`csv\` | text or base64 | a table whose header row repeats on each page |
| \`json\` | text, base64, object or array | tables for lists of similar objects, else a tree |
| \`xml\` | text or base64 | tables for repeated elements, else the indented source |

In JSON bodies the prefix \`data:...;base64,\` marks base64. Without it, text of 16 characters or more is decoded only if all of
it is canonical base64 of text of the input type. In a form (\`multipart/form-data\`) the part \`file\` has the bytes of the
document, and the parts \`assets\` its images, styles and fonts. Of a composed document the parts \`files\` have the files, which
\`parts\` name: \`{"file": "terms.pdf"}\`.

If \`Accept\` excludes both JSON and what the request makes, but names another kind of output, the error is \`invalid_request\`.

${optionTables()}

Lengths are numbers of millimetres, or text with one of the units mm, cm, in, px, pt, pc and q. Options of the request override
those of the template (\`default_options\`) and of Markdown front matter.

**Resources.** An image that cannot be loaded fails the render. A missing font or style sheet is a warning. Documents reach
public addresses only.

**Time.** The plan limits the processing time, which includes \`wait_for\` and \`wait_time\` but not the time in the queue. Accounts
take turns. If the waiting renders of an account would delay a render by more than the processing time, or no browser is
free for as long, the response is 503 \`service_unavailable\` with \`retry_after\`.

**Records.** Every render is recorded: \`GET /api/v1/renders\`. If a render fails, the error has \`render_id\`. Rendering a request
again gives the same bytes. With an \`Idempotency-Key\`, a PDF that was not kept is rendered again for repeated requests, at
most five times, and then kept for at most an hour; they count toward the quota once, and each toward the requests per minute.
`.trim();

/** Example responses. */
export const responseExamples = {
  done: { summary: 'The PDF', value: done },
  queued: { summary: 'The job, if the request has a webhook_url', value: queued },
};
