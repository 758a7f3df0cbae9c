import '../../styles/keys.css';
import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { KeyResponse } from '#contracts/http/keys.ts';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useDenialReason } from '../../api/session.ts';
import { ActorName } from '../../components/ActorName.tsx';
import { Button } from '../../components/Button.tsx';
import { Select } from '../../components/fields.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { useFilters } from '../../components/FilterBar.tsx';
import { formatPercent, recentMonths } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { LinkButton } from '../../components/Link.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Stat } from '../../components/Stat.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Count, Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { RevokeKeyDialog } from './RevokeKeyDialog.tsx';

const texts = strings.keys;
const parent = { href: '/keys', title: strings.pages.keys };
const months = recentMonths(12);

const Facts = ({ apiKey }: { apiKey: KeyResponse }): ReactElement => (
  <section className="card">
    <FieldList
      values={{
        [texts.prefix]: <span className="mono">{apiKey.prefix}…</span>,
        [texts.type]: <Badge tone={apiKey.type === 'live' ? 'info' : 'neutral'}>{texts.types[apiKey.type]}</Badge>,
        [texts.createdBy]: <ActorName actor={apiKey.created_by} />,
        [texts.created]: <Time time={apiKey.created_at} />,
        [texts.expires]: apiKey.expires_at === null ? strings.common.never : <Time time={apiKey.expires_at} />,
        [texts.revokedAt]: apiKey.revoked_at && <Time time={apiKey.revoked_at} />,
        [texts.lastUsed]: apiKey.last_used_at === null ? strings.common.never : <Time time={apiKey.last_used_at} />,
        [texts.permissions]: (
          <ul className="row">
            {apiKey.permissions.map((permission) => (
              <li key={permission}>
                <Badge>{permission}</Badge>
              </li>
            ))}
            {apiKey.permissions.length === 0 && strings.common.none}
          </ul>
        ),
      }}
    />
  </section>
);

const Usage = ({ apiKey: { period, total } }: { apiKey: KeyResponse }): ReactElement => {
  const ofTotal = (value: number): ReactElement => (
    <>
      {texts.total}: <Count value={value} />
    </>
  );
  const share = period.quota_share === null ? undefined : formatPercent(period.quota_share);
  return (
    <div className="grid-4">
      {(['requests', 'succeeded', 'failed'] as const).map((name) => (
        <Stat key={name} label={texts[name]} value={<Count value={period[name]} />} text={ofTotal(total[name])} />
      ))}
      <Stat
        label={texts.quota}
        value={<Count value={period.quota} />}
        text={share === undefined ? ofTotal(total.quota) : `${share} · ${texts.quotaShareHint}`}
      />
    </div>
  );
};

/** One API key. */
export const KeyPage = (): ReactElement => {
  const { keyId = '' }: { keyId?: string } = useParams({ strict: false });
  const [values, setValues] = useFilters();
  const [isRevoking, setRevoking] = useState(false);
  const denialReason = useDenialReason('keys:write');
  const period = values['period'] ?? months[0]!.value;
  const {
    data: apiKey,
    error,
    refetch,
  } = useQuery({
    queryKey: ['keys', keyId, period],
    queryFn: ({ signal }) => api.get('/api/v1/keys/{id}', { params: { id: keyId }, query: { period }, signal }),
  });
  if (error instanceof ApiError && error.status === 404)
    return (
      <>
        <PageHeader title={keyId} parent={parent} />
        <EmptyState icon="keys" title={texts.notFoundTitle} text={texts.notFoundText} />
      </>
    );
  return (
    <>
      <PageHeader
        title={apiKey?.name ?? keyId}
        parent={parent}
        text={<Id id={keyId} isLong withoutLink />}
        badge={apiKey && <StatusBadge status={apiKey.state} />}
        actions={
          apiKey && (
            <>
              <LinkButton href={`/renders?key_id=${keyId}`} icon="renders">
                {texts.showRenders}
              </LinkButton>
              <LinkButton href={`/audit?actor=${keyId}`} icon="audit">
                {texts.showEvents}
              </LinkButton>
              <LinkButton href={`/audit?subject=${keyId}`} icon="audit">
                {texts.showHistory}
              </LinkButton>
              {apiKey.state !== 'revoked' && (
                <Button variant="danger" icon="trash" onPress={() => setRevoking(true)} disabledReason={denialReason}>
                  {texts.revoke}
                </Button>
              )}
            </>
          )
        }
      />
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!apiKey && !error && <Skeleton lines={6} />}
      {apiKey && (
        <div className="stack-lg">
          <div className="key-period">
            <Select
              label={texts.period}
              value={period}
              onChange={(value) => setValues({ period: value })}
              options={months}
            />
          </div>
          <Usage apiKey={apiKey} />
          <Facts apiKey={apiKey} />
        </div>
      )}
      {isRevoking && apiKey && <RevokeKeyDialog target={apiKey} onClose={() => setRevoking(false)} />}
    </>
  );
};
