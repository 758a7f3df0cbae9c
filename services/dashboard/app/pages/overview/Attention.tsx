import { type ReactElement, useState } from 'react';
import type { StatisticsResponse } from '#contracts/http/statistics.ts';
import { Button } from '../../components/Button.tsx';
import { formatPercent } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { LinkButton } from '../../components/Link.tsx';
import { Notice } from '../../components/notices.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.overview.attention;
type AttentionData = StatisticsResponse['attention'];

const QuotaNotice = ({ quota }: { quota: NonNullable<AttentionData['quota']> }): ReactElement => (
  <Notice
    tone={quota.used >= quota.limit ? 'danger' : 'warning'}
    title={quota.used >= quota.limit ? texts.quotaUsedUp : texts.quota(formatPercent(quota.share))}
    actions={<LinkButton href="/usage">{texts.quotaAction}</LinkButton>}
  >
    <p className="small">
      {texts.quotaText(quota.used, quota.limit)} <Time time={quota.resets_at} />.
    </p>
  </Notice>
);

const EndpointNotice = ({ endpoint }: { endpoint: AttentionData['webhook_endpoints'][number] }): ReactElement => {
  const query = new URLSearchParams({ status: 'failed', receiver: endpoint.endpoint.split('/')[0]! });
  return (
    <Notice
      tone="danger"
      title={texts.endpoint(endpoint.endpoint)}
      actions={<LinkButton href={`/webhooks?${query}`}>{texts.endpointAction}</LinkButton>}
    >
      <p className="small">
        {texts.endpointText(endpoint.consecutive_failures)} ({texts.endpointFirst}{' '}
        <Time time={endpoint.failing_since} format="relative" />
        ). {endpoint.last_error}
      </p>
    </Notice>
  );
};

const TemplateNotice = ({ template }: { template: AttentionData['templates'][number] }): ReactElement => {
  const { template_id: id, name, failed, renders, failure_rate: rate, last_error: last } = template;
  const query = new URLSearchParams({ template_id: id, status: 'FAILED' });
  return (
    <Notice
      tone="warning"
      title={
        <>
          {texts.template} <bdi>{name}</bdi>
          {texts.templateRate(formatPercent(rate))}
        </>
      }
      actions={<LinkButton href={`/renders?${query}`}>{texts.templateAction}</LinkButton>}
    >
      <p className="small">
        {texts.templateText(failed, renders)} {last.message} (<Time time={last.at} format="relative" />,{' '}
        <Id id={last.render_id} />)
      </p>
    </Notice>
  );
};

const KeyNotice = ({ apiKey }: { apiKey: AttentionData['keys'][number] }): ReactElement => (
  <Notice
    tone="info"
    title={texts.key(apiKey.name)}
    actions={<LinkButton href={`/keys/${apiKey.key_id}`}>{texts.keyAction}</LinkButton>}
  >
    <p className="small">
      {texts.keyText} <Time time={apiKey.expires_at} />.
    </p>
  </Notice>
);

const noticesOf = ({ quota, webhook_endpoints: endpoints, templates, keys }: AttentionData): ReactElement[] => [
  ...(quota ? [<QuotaNotice key="quota" quota={quota} />] : []),
  ...endpoints.map((endpoint) => <EndpointNotice key={endpoint.endpoint} endpoint={endpoint} />),
  ...templates.map((template) => <TemplateNotice key={template.template_id} template={template} />),
  ...keys.map((apiKey) => <KeyNotice key={apiKey.key_id} apiKey={apiKey} />),
];

const shownAtFirst = 3;

/** What a person should look at, most urgent first; nothing if all is well. */
export const Attention = ({ attention }: { attention: AttentionData }): ReactElement | null => {
  const [isWhole, setWhole] = useState(false);
  const notices = noticesOf(attention);
  if (notices.length === 0) return null;
  const shown = isWhole ? notices : notices.slice(0, shownAtFirst);
  return (
    <section className="attention" aria-labelledby="attention-title">
      <div className="card-title">
        <h2 id="attention-title">{texts.title}</h2>
        {notices.length > shownAtFirst && (
          <Button size="small" variant="quiet" aria-expanded={isWhole} onPress={() => setWhole(!isWhole)}>
            {isWhole ? texts.less : texts.more(notices.length)}
          </Button>
        )}
      </div>
      <div className="stack-sm">{shown}</div>
    </section>
  );
};
