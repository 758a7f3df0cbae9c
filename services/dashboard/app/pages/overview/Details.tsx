import type { ReactElement } from 'react';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { Card } from '../../components/Card.tsx';
import { Id } from '../../components/Id.tsx';
import { Link } from '../../components/Link.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.overview;

/** How often each error happened; each leads to the renders that failed with it. */
export const Failures = ({ statistics }: { statistics: StatisticsResponse }): ReactElement => {
  const { failures, since } = statistics;
  const most = failures[0]?.count ?? 1;
  return (
    <Card title={texts.failures.title}>
      {failures.length === 0 && <p className="muted">{texts.failures.none}</p>}
      <ul className="bars">
        {failures.map(({ error, count }) => (
          <li key={error}>
            <Link href={`/renders?${new URLSearchParams({ error, since })}`} className="link mono">
              {error}
            </Link>
            <Count value={count} />
            <span className="bar" aria-hidden="true">
              <span style={{ width: `${(count / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
};

/** The callbacks by state; each state leads to the list of them. */
export const Webhooks = ({ statistics }: { statistics: StatisticsResponse }): ReactElement => {
  const { delivered, failed, pending, attempts, failed_attempts: failedAttempts, requested } = statistics.webhooks;
  const rows = [
    { label: texts.webhooks.delivered, value: delivered, status: 'delivered' },
    { label: texts.webhooks.failed, value: failed, status: 'failed' },
    { label: texts.webhooks.pending, value: pending, status: 'pending' },
  ];
  return (
    <Card title={texts.webhooks.title}>
      {requested + pending === 0 ? (
        <p className="muted">{texts.webhooks.none}</p>
      ) : (
        <>
          <dl className="fields webhook-states">
            {rows.map(({ label, value, status }) => (
              <div key={status} className="webhook-state">
                <dt>
                  <Link href={`/webhooks?status=${status}`}>{label}</Link>
                </dt>
                <dd>
                  <Count value={value} />
                </dd>
              </div>
            ))}
          </dl>
          <p className="small muted">{texts.webhooks.attempts(attempts, failedAttempts)}</p>
        </>
      )}
    </Card>
  );
};

export const LatestRenders = ({ renders }: { renders: readonly RenderRecordResponse[] }): ReactElement => (
  <Card title={texts.latest.title} aside={<Link href="/renders">{texts.latest.all}</Link>}>
    <ul className="latest" aria-live="off">
      {renders.map(({ id, status, created_at: time }) => (
        <li key={id}>
          <StatusBadge status={status} />
          <Id id={id} isNarrow />
          <span className="muted small">
            <Time time={time} format="relative" />
          </span>
        </li>
      ))}
    </ul>
  </Card>
);
