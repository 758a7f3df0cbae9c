import { codeSampleSections } from './code-samples.ts';

const quickstart = (url: string): string =>
  `
## Quickstart

**1. A key.** The first start of the service prints two. More come from \`colophon key create --account default --type test\`;
in the folder of the project: \`npm run -s colophon -- key create --account default --type test\`.
Renders with a test key do not count toward the quota.

<!-- not run: the reader's own key -->

\`\`\`sh
export COLOPHON_KEY=svc_test_...
\`\`\`

**2. A PDF.**

${codeSampleSections(url)}

Send a file unencoded, in a form: \`curl ... -F file=@report.md -F assets=@logo.png\`. Without \`Accept: application/pdf\` the
response is JSON, with the PDF in base64 and its warnings. All options are in the tables of *Make a PDF*.

**3. A template and its data.** Store the template once. The response has its \`id\`:

\`\`\`sh
template=$(curl -sS --fail-with-body ${url}/api/v1/templates \\
  -H "Authorization: Bearer $COLOPHON_KEY" -H 'Content-Type: application/json' \\
  -d '{"name": "Greeting", "content": "<h1>Hello {{customer.name}}</h1>"}' |
  sed 's/.*"id":"\\(tpl_[^"]*\\)".*/\\1/')
curl -sS --fail-with-body ${url}/api/v1/render -o greeting.pdf \\
  -H "Authorization: Bearer $COLOPHON_KEY" -H 'Accept: application/pdf' \\
  -H 'Content-Type: application/json' \\
  -d '{"mode": "RENDER", "template_id": "'$template'", "data": {"customer": {"name": "Ines"}}}'
\`\`\`

\`GET /api/v1/templates\` lists the templates of the account with their ids.

To try the operations on this page, choose *Authorize* and paste the key. The guides, with every input type, the language of
templates and callbacks, are in the folder \`docs\` of the project.
`.trim();

const reference = `## Keys

Send \`Authorization: Bearer <API key>\` once with each request. Renders with keys that begin with \`svc_live_\` count
toward the quota. Keys that begin with \`svc_test_\` are for tests; their renders do not count. A key has the permissions
that were named when it was issued. Without a list it has those for documents: \`render:create\`, \`templates:read\`,
\`templates:write\`, \`templates:delete\`, \`jobs:read\`, \`usage:read\`. The others administer the account:
\`keys:read\`, \`keys:write\`, \`webhook_secret:read\`, \`webhook_secret:write\`, \`events:read\`, \`members:read\`,
\`members:write\`, \`account:write\`. It is shown once, when it is issued, and stored only as a hash. A key ends with a checksum,
so the service can tell a mistyped key from one that does not exist.

## Requests

Bodies are JSON objects in UTF-8, sent as \`application/json\`; renders also accept forms (\`multipart/form-data\`). A
field that is unknown, of the wrong type or out of range is \`invalid_request\` with its path in \`field\`;
\`message\` says what is allowed. Some fields have a more specific error code. Invalid JSON, another content type and
an empty body are \`invalid_request\`, too, and so is an unknown query parameter of \`POST\`, \`PUT\` and \`DELETE\`.

If a request has several errors, the first is the error of the response, and \`errors\` lists all of them, each with its
\`error\`, \`message\` and \`field\`. At most 50 are listed; \`omitted_errors\` is the number of the others. For misspelt names
and values, and for the names that other services use, \`did_you_mean\` is what was probably meant, and \`example\` has
the right fields with values: \`landscape\` is \`"orientation": "landscape"\`.

A repeated field is \`invalid_request\`, and \`field\` names it. \`data\`, \`content\`, \`header_html\` and \`footer_html\` may fill the
body. All other fields together may hold at most 10,000 values in 1 MB;
the parts of a composed document together 50,000 values in 4 MB.

The order of the checks is: path, \`Authorization\`, key, account, requests per minute, size of the body, body, permission,
quota, and then the rest.

## Errors

Every error has \`error\` (a code for programs), \`message\` (for people), \`code\` (the HTTP status) and \`request_id\`; some have
further fields. Each operation below lists all of its errors. A path that does not exist is 404 \`not_found\`. A method that
a path does not have, such as \`OPTIONS\`, is 405 \`method_not_allowed\`, with the methods of the path in \`Allow\` and \`allowed\`;
every path with \`GET\` also has \`HEAD\`. An \`Expect\` header other than \`100-continue\` is 417 \`expectation_failed\`. Objects of
other accounts give the same response as objects that do not exist.

\`service_unavailable\` (503) means that the service cannot take the request now. It has \`retry_after\`, in seconds, as
does the header \`Retry-After\`. Without a \`render_id\` in the response, nothing was accepted. If the disk is full,
requests that store something get this error; reading still works. A request for stored content that cannot be read at
present, such as a PDF within its hour, gets it, too. Renders that need such content wait for it, for up to an hour.

## Limits

| Plan | Renders per month | Requests per minute | Largest PDF |
|---|---|---|---|
| free | 100 | 5 | 5 MB |
| starter | 1,000 | 20 | 10 MB |
| pro | 10,000 | 60 | 25 MB |
| business | 100,000 | 120 | 50 MB |
| enterprise | unlimited | as agreed | as agreed |

| | all plans | enterprise |
|---|---|---|
| Request body | 10 MB | 50 MB |
| Processing | 30 s | 60 s |
| Scripts in a document | 5 s | 10 s |
| Pages of a PDF | 100 | unlimited |
| External images of a document | 50 | unlimited |
| Templates | 100 | unlimited |
| Size of a template | 1 MB | 5 MB |
| Variables of a template | 50 | unlimited |
| Versions kept of a template | 10 | all |

**Requests per minute** are counted for each account, in windows of one minute, over all requests with a valid key. **Renders
per month** are accepted renders with live keys in the calendar month (UTC). Test keys do not use them up. A render that
fails through an error of the service, or is not accepted because of one, is given back within a minute. All responses
except those with status 401 have the state of the limits in \`X-RateLimit-*\` and \`X-Quota-*\`. Unlimited is \`null\` in JSON; the
header is then absent. A signed-in person may send 600 requests a minute. Of these, only renders
count toward the limit of the account.
`.trim();

/** The introduction of the API reference, in Markdown. `url` is the URL of the service. */
export const guideFor = (url: string): string =>
  [
    'Colophon turns HTML, Word and other office documents, Markdown, XML, CSV, JSON, web pages and stored templates ' +
      'into PDF, and keeps a record of how each PDF was made.',
    quickstart(url),
    reference,
  ].join('\n\n');
