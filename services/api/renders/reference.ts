import type { Example } from '../server/route.ts';

/** Requests as callers may send them. */
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
    summary: 'JSON as it stands',
    value: {
      mode: 'CONVERT',
      input_type: 'json',
      data: [
        { city: 'Graz', year: 1981 },
        { city: 'Porto', year: 1996 },
      ],
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
    summary: 'A stored template',
    value: {
      mode: 'RENDER',
      template_id: 'tpl_01JQZX3C5V8Y2N6T4R7W9K0MHB',
      data: { number: '2026-118', customer: { name: 'Ines Prado' } },
    },
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

const callbacks = `
**Callbacks.** The body is JSON with \`id\`, \`status\`, \`job_id\` and \`created_at\`. With status \`DONE\` it has \`pdf_url\`, \`pdf_expires_at\`, \`pages\`, \`file_size_kb\`, \`duration_ms\` and \`completed_at\`; with \`FAILED\` it has
\`error\`, \`message\`, \`details\` and \`failed_at\`. Any 2xx answer within 10 seconds counts as delivered: only the status decides, not the body. After a 5xx answer, a timeout or a connection that fails there are two more attempts, 5 and then 30 seconds later; any other
answer ends it at once, redirects among them. An address that is not public is a failed attempt, and a host name that leads to one is reported like one that does not exist. The same callback can come twice, so go by \`job_id\`.

**Signatures.** \`X-Service-Signature\` is the HMAC-SHA-256, in hex, of the exact bytes of the body, keyed with the account's webhook secret as it is written. Beside it stand the headers of Standard Webhooks
(\`webhook-id\`, the same at each attempt, \`webhook-timestamp\`, \`webhook-signature\`), made with the same secret. \`webhook_headers\` cannot replace these, nor the headers that HTTP itself needs.
`.trim();

/** The reference of POST /render. Markdown. */
export const renderDescription = `
Makes a PDF from content that is sent along (\`CONVERT\`) or from a stored template and data (\`RENDER\`), and answers with it when it is done.

**How \`data\` is read.** \`docx\` is always base64. The text types take plain text. They take base64 too: a prefix \`data:...;base64,\` settles it; without one
the text is decoded only if the whole of it is canonical base64 of 16 characters or more, the result is UTF-8 without control characters, and it looks like the
input type as far as that can be told (html and xml begin with \`<\`, json parses). \`json\` also takes an object or array as it stands.

**What becomes of it.** CSV, and JSON that is an array of flat objects, turn into a table whose header row repeats on each page and whose numbers are right-aligned.
Other JSON turns into an indented tree, XML into an indented listing with colours. XML that defines entities is refused.

**What is refused.** HTML is forgiving, so \`invalid_html\` stands for input that would lose content: it ends inside a tag, comment, attribute, script, style, title or textarea, has NUL
characters, or is not UTF-8. \`invalid_markdown\` likewise: a code fence or HTML comment that is never closed, quotations and lists nested deeper than 100 levels, NUL, not UTF-8. Bad CSV, JSON or XML is
\`conversion_failed\`. \`line\` counts from 1 in the text as you sent it.

**Images and other resources.** An external image that cannot be loaded fails the render (\`image_load_failed\`); a font or style sheet that cannot is left out. Only public addresses can be reached; the service's own addresses and the
metadata addresses of cloud providers do not count as public. A host name that leads to
another address gets the same answer as one that does not exist. A name has 5 seconds to be resolved.
More pages or more distinct external images than the plan allows are \`conversion_failed\`, with the number and the limit in \`details\`.

**Documents stay where they are.** One that leads to another address before it is printed, by a script or by a
\`<meta http-equiv="refresh">\` whose seconds are over within \`wait_time\` (0 seconds: always), is \`conversion_failed\` with the
reason \`navigated_away\` in \`details\`.

**Header and footer.** \`{{page}}\`, \`{{total}}\` and \`{{date}}\` (the day of the request, \`YYYY-MM-DD\`) are filled in. The bands lie in the margins; where a margin is lower than its band it grows to it.

**Time.** \`wait_for\` and \`wait_time\` are part of the processing time that the plan allows, which runs while the render is worked on. The time that it waits for its turn does not count. Accounts take turns, so the renders of one account do not hold up those of another.
A render gets \`service_unavailable\` with \`retry_after\` if the waiting renders of its account would keep it from beginning within the processing time, or if it waits longer than that for a free browser or process. Neither counts toward the quota.

**Templates.** Options of the request win over the template's \`default_options\`. A placeholder whose value is absent is a \`template_render_error\` that names it; \`{{#if x}}\` and \`{{#each x}}\` over
something absent are false and empty. \`null\` counts as present. A version that never existed, or is no longer kept, is \`template_not_found\` with status 422.

**Repeating a request.** With an \`Idempotency-Key\` the same request brings back the same PDF, charged once. The PDF of a render that was waited for is not kept: it is made again, at most five times, and then kept for an hour.
Requests that come while it is made share it. Beyond that \`rate_limit_exceeded\` says when the key is forgotten. Repeated requests count toward the requests per minute.

The same request gives the same bytes: dates inside the PDF are those of the request. If making the PDF fails, the error carries \`render_id\`, under which the failure is on record.

**Not waiting.** With a \`webhook_url\` the answer comes at once, with status \`QUEUED\` and a job to ask about; a callback follows when the PDF is there or has failed. \`estimated_time_ms\` is made from
recent renders of the same kind of input, and from the renders of the account that wait now.

**Diagnostics.** With \`diagnostics=true\` and a test key the answer to a render that is waited for has \`diagnostics\`, errors too: timings, lane, console, failed resources, fonts. The document is made a second time for them. For any other
render ask for its job, \`GET /api/v1/jobs/job_<id>?diagnostics=true\`, with the id of the render.

${callbacks}
`.trim();

/** Answers as callers may get them. */
export const responseExamples = {
  done: { summary: 'The PDF', value: done },
  queued: { summary: 'The job, where a webhook_url is given', value: queued },
};
