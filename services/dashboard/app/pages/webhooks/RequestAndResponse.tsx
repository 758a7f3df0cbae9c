import type { ReactElement } from 'react';
import type { DeliveryRound } from '#contracts/http/deliveries.ts';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Notice } from '../../components/notices.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.webhooks.delivery;

type Attempt = DeliveryRound['attempts'][number];

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const withBody = (head: string, body: string | undefined): string => (body ? `${head}\n\n${body}` : head);

/** What was sent and what came back, as text to copy. The response is never rendered. */
export const RequestAndResponse = ({
  request,
  response,
  error,
  body,
}: Pick<Attempt, 'request' | 'response' | 'error'> & { body?: string }): ReactElement => (
  <div className="webhook-exchange">
    <div className="stack">
      <h3>{texts.request}</h3>
      {request ? (
        <CodeBlock code={withBody(`${request.method} ${request.url}\n${headerLines(request.headers)}`, body)} />
      ) : (
        <p className="muted">{texts.noRequest}</p>
      )}
    </div>
    <div className="stack">
      <h3>{texts.response}</h3>
      {response && (
        <CodeBlock code={withBody(`HTTP ${response.status}\n${headerLines(response.headers)}`, response.body)} />
      )}
      {error && (
        <Notice tone="warning" title={texts.kinds[error.kind]}>
          <p>{error.message}</p>
        </Notice>
      )}
    </div>
  </div>
);
