import type { ReactElement } from 'react';
import { Card } from '../../components/Card.tsx';
import { formatCount } from '../../components/formats.ts';
import { ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { Meter } from '../../components/Stat.tsx';
import { strings } from '../../strings/strings.ts';
import { useLimits } from './queries.ts';

const texts = strings.usage.limits;

const Limit = ({ label, used, limit }: { label: string; used: number; limit: number | null }): ReactElement => (
  <div className="usage-limit">
    <p className="usage-limit-text">
      <span>{label}</span>
      <span className="number muted">{texts.of(used, limit)}</span>
    </p>
    {limit !== null && <Meter label={label} used={used} limit={limit} />}
  </div>
);

const orUnlimited = (value: number | null, format: (value: number) => string = formatCount): string =>
  value === null ? strings.common.unlimited : format(value);

/** The limits of the plan, and how near the account is to them. */
export const Limits = (): ReactElement => {
  const { data, error, refetch } = useLimits();
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div className="card">
        <Skeleton lines={4} />
      </div>
    );
  const { usage, account, templates } = data;
  const { limits } = account;
  const others: [string, string][] = [
    [texts.pdf, orUnlimited(limits.max_pdf_mb, texts.megabytes)],
    [texts.payload, texts.megabytes(limits.max_payload_mb)],
    [texts.pages, orUnlimited(limits.max_pages)],
    [texts.images, orUnlimited(limits.max_external_images)],
    [texts.processing, texts.seconds(limits.processing_timeout_seconds)],
    [texts.javascript, texts.seconds(limits.javascript_timeout_seconds)],
  ];
  return (
    <Card title={texts.title(account.plan)}>
      <div className="usage-limits">
        <Limit label={texts.quota} used={usage.quota.used} limit={usage.quota.limit} />
        <Limit label={texts.rate} used={usage.rate_limit.current_usage} limit={usage.rate_limit.per_minute} />
        <Limit label={texts.templates} used={templates} limit={limits.max_templates} />
        <Limit label={texts.templateTests} used={usage.template_tests.used} limit={usage.template_tests.limit} />
      </div>
      <h3 className="usage-others-title">{texts.others}</h3>
      <dl className="usage-others">
        {others.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};
