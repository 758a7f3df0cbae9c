import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { DeliveryResponse } from '#contracts/http/deliveries.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { EmptyState, ErrorNotice, Notice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { Attempts } from './Attempts.tsx';
import { RedeliverDialog } from './RedeliverDialog.tsx';
import { useWebhookEvents } from './use-webhook-events.ts';
import '../../styles/webhooks.css';

const texts = strings.webhooks.delivery;
const parent = { href: '/webhooks', title: strings.pages.webhooks };

const Facts = ({ delivery }: { delivery: DeliveryResponse }): ReactElement => (
  <FieldList
    values={{
      [texts.receiver]: (
        <span className="mono">
          {delivery.method} {delivery.url}
        </span>
      ),
      [texts.render]: <Id id={delivery.id} isLong />,
      [texts.webhookId]: <Id id={delivery.webhook_id} isLong withoutLink />,
      [texts.created]: <Time time={delivery.created_at} />,
      [texts.attempts]: <Count value={delivery.attempts} />,
      [texts.nextAttempt]: delivery.next_attempt_at && <Time time={delivery.next_attempt_at} />,
    }}
  />
);

const Body = ({ body }: Pick<DeliveryResponse, 'body'>): ReactElement => (
  <Card title={texts.body}>
    <div className="stack webhook-body">
      <p className="muted">{body === null ? texts.bodyLost : texts.bodyText}</p>
      {body !== null && <CodeBlock code={body} />}
    </div>
  </Card>
);

/** One callback with its attempts. */
export const WebhookPage = (): ReactElement => {
  const { jobId = '' }: { jobId?: string } = useParams({ strict: false });
  const [isRedelivering, setRedelivering] = useState(false);
  const denialReason = useDenialReason('render:create');
  useWebhookEvents(jobId);
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery', jobId],
    queryFn: ({ signal }) => api.get('/api/v1/deliveries/{job_id}', { params: { job_id: jobId }, signal }),
  });
  if (error instanceof ApiError && error.error === 'delivery_not_found')
    return (
      <>
        <PageHeader title={texts.notFoundTitle} parent={parent} />
        <EmptyState icon="webhooks" title={jobId} text={texts.notFoundText} />
      </>
    );
  const hasEnded = data?.status === 'delivered' || data?.status === 'failed';
  const disabledReason = denialReason ?? (hasEnded ? null : strings.webhooks.redeliver.inProgress);
  return (
    <>
      <PageHeader
        title={texts.title(jobId)}
        heading={<Id id={jobId} isLong withoutLink />}
        parent={parent}
        badge={data && <StatusBadge status={data.status} />}
        actions={
          data && (
            <Button icon="refresh" disabledReason={disabledReason} onPress={() => setRedelivering(true)}>
              {strings.webhooks.redeliver.action}
            </Button>
          )
        }
      />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="card">
          <Skeleton lines={6} />
        </div>
      )}
      {data && (
        <div className="stack-lg">
          <section className="card stack">
            {data.status === 'failed' && data.last_error && (
              <Notice tone="danger" title={texts.lastError}>
                <p>{data.last_error}</p>
              </Notice>
            )}
            <Facts delivery={data} />
          </section>
          <Card title={texts.attemptsTitle}>
            <div className="stack">
              {data.rounds.length === 0 && <p className="muted">{texts.notStarted}</p>}
              <Attempts rounds={data.rounds} />
              {data.omitted_rounds > 0 && <p className="muted">{texts.omittedRounds(data.omitted_rounds)}</p>}
            </div>
          </Card>
          <Body body={data.body} />
          {isRedelivering && <RedeliverDialog delivery={data} onClose={() => setRedelivering(false)} />}
        </div>
      )}
    </>
  );
};
