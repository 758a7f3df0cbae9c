import type { Example } from '../server/route.ts';

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
**Callbacks.** The body is JSON with \`id\`, \`status\`, \`job_id\` and \`created_at\`. With status \`DONE\` it also has
\`pdf_url\`, \`pdf_expires_at\`, \`pages\`, \`file_size_kb\`, \`duration_ms\` and \`completed_at\`; with \`FAILED\` it has
\`error\`, \`message\`, \`details\` and \`failed_at\`. A 2xx response within 10 seconds counts as delivered; its body does not
matter. After a 5xx response, a timeout or a failed connection there are two more attempts, 5 and then 30 seconds later.
Any other response, also a redirect, ends the delivery at once. An address that is not public is a failed attempt; a host
name with such an address is reported like a host that does not exist. A callback can arrive twice: use \`job_id\` to
recognise it.

**Signatures.** \`X-Service-Signature\` is the HMAC-SHA-256, in hex, of the exact bytes of the body. The key is the account's
webhook secret as text. The headers of Standard Webhooks (\`webhook-id\`, the same at each attempt, \`webhook-timestamp\`,
\`webhook-signature\`) use the same secret. \`webhook_headers\` cannot replace these headers or those that HTTP needs.
`.trim();

/** The reference of POST /render, in Markdown. */
export const renderDescription = `
Makes a PDF from the content of the request (\`CONVERT\`) or from a stored template and data (\`RENDER\`), and returns it
when it is ready.

**How \`data\` is read.** \`docx\` is always base64. The text types accept plain text and base64. The prefix
\`data:...;base64,\` marks base64. Without it, the text is decoded only if all of it is canonical base64 of 16 characters
or more, the result is UTF-8 without control characters, and it looks like the input type (html and xml begin with
\`<\`, json parses). \`json\` also accepts an object or array.

**How input becomes a page.** CSV, and JSON that is an array of flat objects, become a table. Its header row repeats on each
page, and its numbers are right-aligned. Other JSON becomes an indented tree, XML an indented listing with colours.

**What is rejected.** \`invalid_html\` is input that would lose content: it ends inside a tag, comment, attribute, script,
style, title or textarea, contains NUL characters, or is not UTF-8. \`invalid_markdown\` is Markdown with an open code fence
or HTML comment, with quotations and lists nested deeper than 100 levels, with NUL, or not in UTF-8. Bad CSV, JSON or XML,
and XML that defines entities, is \`conversion_failed\`. \`line\` counts from 1 in the text that you sent.

**Images and other resources.** An external image that cannot be loaded fails the render (\`image_load_failed\`); a font or
style sheet that cannot be loaded is left out. Only public addresses can be reached, not those of the service itself or
the metadata addresses of cloud providers. A host name with another address is reported like a host that does not exist.
A name must resolve within 5 seconds. If a document has more pages or more distinct external images than the plan allows,
the error is \`conversion_failed\` with the number and the limit in \`details\`.

**Navigation.** A document that navigates to another address before it is printed, by a script or by a
\`<meta http-equiv="refresh">\` that fires within \`wait_time\` (0 seconds: always), is \`conversion_failed\` with the reason
\`navigated_away\` in \`details\`.

**Header and footer.** \`{{page}}\`, \`{{total}}\` and \`{{date}}\` (the day of the request, \`YYYY-MM-DD\`) are replaced. Header
and footer are printed in the margins; a margin that is lower than its header or footer grows to that height.

**Time.** The plan limits the processing time, which includes \`wait_for\` and \`wait_time\`. The time in the queue does not
count. Accounts take turns, so the renders of one account do not delay those of another. A render gets
\`service_unavailable\` with \`retry_after\` if the waiting renders of its account would delay its start by more than the
processing time, or if it waits longer than that for a free browser or process. Neither counts toward the quota.

**Templates.** Options of the request override the template's \`default_options\`. A placeholder without a value is a
\`template_render_error\` that names it; \`{{#if x}}\` and \`{{#each x}}\` treat a missing value as false and empty. \`null\` is a
value. A version that never existed, or is no longer kept, is \`template_not_found\` with status 422.

**Repeated requests.** With an \`Idempotency-Key\` the same request returns the same PDF and counts toward the quota once.
The PDF of a synchronous render is not kept: a repeated request renders it again, at most five times, and then it is kept
for an hour. Concurrent requests share one rendering. After that, \`rate_limit_exceeded\` says when the key expires.
Repeated requests count toward the requests per minute.

Rendering a recorded request again gives the same bytes, because the dates inside the PDF are the time of the request. Two
requests with the same content differ only in these dates. If a render fails, the error has \`render_id\`, the id of the
recorded render.

**Asynchronous renders.** With a \`webhook_url\` the response is immediate, with status \`QUEUED\` and a job to query. A
callback follows when the PDF is ready or the render has failed. \`estimated_time_ms\` is based on recent renders of the same
kind of input and on the waiting renders of the account.

**Diagnostics.** With \`diagnostics=true\` and a test key the response to a synchronous render has \`diagnostics\`, also if it is
an error: timings, render mode, console, failed resources, fonts. For them the document is rendered a second time. For
other renders use \`GET /api/v1/jobs/job_<id>?diagnostics=true\` with the id of the render.

${callbacks}
`.trim();

/** Example responses. */
export const responseExamples = {
  done: { summary: 'The PDF', value: done },
  queued: { summary: 'The job, if the request has a webhook_url', value: queued },
};
