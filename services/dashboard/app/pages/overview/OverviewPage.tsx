import type { ReactElement } from 'react';
import { usePermission } from '../../api/session.ts';
import { Card } from '../../components/Card.tsx';
import { optionsOf, Select } from '../../components/fields.tsx';
import { useFilters } from '../../components/FilterBar.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { LinkButton } from '../../components/Link.tsx';
import { EmptyState, ErrorNotice } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { strings } from '../../strings/strings.ts';
import { Attention } from './Attention.tsx';
import { Charts } from './Charts.tsx';
import { Failures, LatestRenders, Webhooks } from './Details.tsx';
import { Figures, Placeholders } from './Figures.tsx';
import { ranges, type Range, useLatestRenders, useLiveOverview, useQuota, useStatistics, useToday } from './queries.ts';
import '../../styles/overview.css';

const texts = strings.overview;

const FirstRender = (): ReactElement => {
  const mayCreateKeys = usePermission('keys:write');
  return (
    <div className="card">
      <EmptyState
        icon="renders"
        title={texts.empty.title}
        text={texts.empty.text}
        code={firstRenderCommand()}
        action={
          <div className="row">
            {mayCreateKeys && (
              <LinkButton href="/keys" variant="primary" icon="keys">
                {texts.empty.createKey}
              </LinkButton>
            )}
            <LinkButton href="/playground" icon="playground">
              {texts.empty.playground}
            </LinkButton>
          </div>
        }
      />
    </div>
  );
};

const isRange = (value: string | undefined): value is Range => ranges.some((range) => range === value);

export const OverviewPage = (): ReactElement => {
  const [{ range: chosen }, setFilters] = useFilters();
  const range = isRange(chosen) ? chosen : 'day';
  const statistics = useStatistics(range);
  const today = useToday();
  const quota = useQuota();
  const latest = useLatestRenders();
  useLiveOverview();
  const isNew = latest.data?.renders.length === 0;
  // The statistics are two figures.
  const loading = [today, quota, statistics, statistics, latest].filter(({ isPending }) => isPending).length;
  return (
    <>
      <PageHeader
        title={strings.pages.overview}
        text={texts.text}
        actions={
          !isNew && (
            <Select
              label={texts.range}
              isLabelHidden
              value={range}
              onChange={(value) => setFilters({ range: value === 'day' ? '' : value })}
              options={optionsOf(texts.ranges)}
            />
          )
        }
      />
      <div className="stack-lg">
        {statistics.error && <ErrorNotice error={statistics.error} onRetry={() => void statistics.refetch()} />}
        {loading > 0 && <Placeholders count={Math.min(loading, 4)} />}
        {isNew ? (
          <FirstRender />
        ) : (
          <>
            {statistics.data && <Attention attention={statistics.data.attention} />}
            <Figures statistics={statistics} today={today} quota={quota} range={range} />
            {statistics.data && <Charts statistics={statistics.data} range={range} />}
            {statistics.data && (
              <div className="grid-3">
                <Failures statistics={statistics.data} />
                <Webhooks statistics={statistics.data} />
                {latest.data && <LatestRenders renders={latest.data.renders} />}
                {latest.error && !latest.data && (
                  <Card title={texts.latest.title}>
                    <ErrorNotice error={latest.error} onRetry={() => void latest.refetch()} />
                  </Card>
                )}
              </div>
            )}
          </>
        )}
      </div>
    </>
  );
};
