/** What holds for all of the API, for the head of its reference. Markdown. */
export const guide = `
Colophon turns HTML, Word, Markdown, XML, CSV, JSON and stored templates into PDF, and can tell of each PDF how it came to be.

## Keys

Send \`Authorization: Bearer <API key>\` once with each request. Keys that begin with \`svc_test_\` are for trying things out and are never charged; keys that begin with \`svc_live_\` are. A key may do
everything unless it was issued with fewer permissions: \`render:create\`, \`templates:read\`, \`templates:write\`, \`templates:delete\`, \`jobs:read\`, \`usage:read\`. It is shown once, when it is issued, and kept only as a hash.
The end of a key is a checksum, so that a mistyped key is told from one that does not exist.

## Requests

Bodies are JSON objects in UTF-8, sent as \`application/json\`. A field that is unknown, of the wrong type or out of range is \`invalid_request\`, with the path of the \`field\` and, in \`message\`, what is allowed; where
the table of errors has a more particular code, that one is used. The same goes for JSON that does not parse, another content type and an empty body.

A field may be in a body once; a repeated field is \`invalid_request\`, and \`field\` names it. \`data\`, \`content\`, \`header_html\` and \`footer_html\` may fill the body. All other fields together may hold at most 10,000 values
in 1 MB.

Things are checked in this order: path, \`Authorization\`, key, account, requests per minute, size of the body, body, permission, quota, and then the rest.

## Errors

Every error has \`error\` (a code for programs), \`message\` (for people), \`code\` (the HTTP status) and \`request_id\`, and some have fields of their own; each operation below lists all of its errors. A path that
does not exist is 404 \`not_found\`. A method that a path does not have, \`OPTIONS\` among them, is 405 \`method_not_allowed\`, with the methods that it has in \`Allow\` and \`allowed\`; every path with \`GET\` takes \`HEAD\`, too.
An \`Expect\` header other than \`100-continue\` is 417 \`expectation_failed\`. What belongs to another account is answered exactly like what does not exist.

\`service_unavailable\` (503) means that the service cannot do it now: it has \`retry_after\`, in seconds, like the header \`Retry-After\`. Nothing was accepted then unless the answer has a \`render_id\`. While its disk is full, requests that
store something get this error, and reading goes on. A request for stored content that cannot be read at present, such as a PDF within its hour, gets it, too. Renders that need such content wait for it, for up to an hour.

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

**Requests per minute** are counted for each account, in windows of one minute, over all requests with a valid key. **Renders per month** are accepted renders with live keys in the calendar month (UTC); test keys never use them up, and
a render that fails through a fault of the service, or is not accepted because of one, is given back within a minute. All answers carry how things stand in \`X-RateLimit-*\` and \`X-Quota-*\`, except those with status 401. Unlimited is \`null\` in JSON, and leaves the header out.
`.trim();
