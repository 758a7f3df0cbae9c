import { type ReactElement, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { TestWebhookResponse } from '#contracts/http/deliveries.ts';
import { fieldErrorsOf } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { plainOptions, Select, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/Form.tsx';
import { ErrorNotice } from '../../components/notices.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Duration, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { HeadersField, headersErrorOf, parseHeaders } from './HeadersField.tsx';
import { RequestAndResponse } from './RequestAndResponse.tsx';

const texts = strings.webhooks.test;
const methods = ['POST', 'PUT'] as const;
type Method = (typeof methods)[number];

const outcomeOf = ({ delivered, error }: TestWebhookResponse): string => {
  if (error) return strings.webhooks.delivery.kinds[error.kind];
  return delivered ? texts.accepted : texts.rejected;
};

const Result = ({ result }: { result: TestWebhookResponse }): ReactElement => (
  <Card
    title={texts.result}
    aside={
      <div className="row">
        <Badge tone={result.delivered ? 'success' : 'danger'}>{outcomeOf(result)}</Badge>
        <Duration ms={result.duration_ms} />
        <Time time={result.started_at} />
      </div>
    }
  >
    <RequestAndResponse {...result} body={result.request.body} />
  </Card>
);

/** Sends one test callback to an address, and shows what came back. */
export const TestTab = (): ReactElement => {
  const [url, setUrl] = useState('');
  const [method, setMethod] = useState<Method>('POST');
  const [headers, setHeaders] = useState('');
  const [headersError, setHeadersError] = useState<string | null>(null);
  const denialReason = useDenialReason('render:create');
  const send = useMutation({
    mutationFn: (parsed: Record<string, string>) =>
      api.post('/api/v1/webhooks/test', {
        body: { url: url.trim(), method, ...(Object.keys(parsed).length > 0 ? { headers: parsed } : {}) },
      }),
  });
  const fieldErrors = fieldErrorsOf(send.error);
  const ofHeaders = headersErrorOf(fieldErrors, 'headers');
  const isOfField = fieldErrors['url'] !== undefined || ofHeaders !== undefined;
  const submit = (): void => {
    try {
      const parsed = parseHeaders(headers);
      setHeadersError(null);
      send.mutate(parsed);
    } catch (error) {
      setHeadersError((error as Error).message);
    }
  };
  return (
    <div className="stack-lg">
      <Card title={texts.title}>
        <Form className="stack" onSubmit={() => denialReason === null && submit()}>
          <p className="muted">{texts.text}</p>
          <div className="webhook-test-target">
            <Select label={texts.method} value={method} onChange={setMethod} options={plainOptions(methods)} />
            <TextField
              type="url"
              label={texts.url}
              description={texts.urlHint}
              value={url}
              onChange={setUrl}
              error={fieldErrors['url']}
              placeholder="https://example.com/hook"
              autoComplete="off"
              isRequired
            />
          </div>
          <HeadersField value={headers} onChange={setHeaders} error={headersError ?? ofHeaders} isOptional />
          <div className="row">
            <Button type="submit" variant="primary" isPending={send.isPending} disabledReason={denialReason}>
              {texts.send}
            </Button>
          </div>
          {send.error && !isOfField && <ErrorNotice error={send.error} />}
        </Form>
      </Card>
      {send.data && !send.isPending && (
        <div aria-live="polite">
          <Result result={send.data} />
        </div>
      )}
    </div>
  );
};
