import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AccountSettingsResponse } from '#contracts/http/account.ts';
import { api } from '../../api/client.ts';
import { useAccount } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PlainTable } from '../../components/PlainTable.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { LeaveDialog } from '../people/MemberDialogs.tsx';
import { SettingsForm, formatMinutes } from './SettingsForm.tsx';

const texts = strings.settings;

const AccountFacts = (): ReactElement => {
  const { data, error, refetch } = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => api.get('/api/v1/account', { signal }),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div className="card">
        <Skeleton lines={4} />
      </div>
    );
  return (
    <section className="card" aria-label={strings.layout.account}>
      <FieldList
        values={{
          [texts.accountId]: <Id id={data.id} isLong withoutLink />,
          [texts.plan]: strings.operator.plans[data.plan],
          [texts.state]: <StatusBadge status={data.state} />,
          [texts.opened]: <Time time={data.opened_at} />,
        }}
      />
    </section>
  );
};

const Keeping = ({ settings }: { settings: AccountSettingsResponse }): ReactElement => {
  const rows = [
    [texts.keptPdfs, texts.keptPdfsTime(formatMinutes(settings.pdf_retention.applied_minutes))],
    [texts.otherPdfs, texts.otherPdfsTime],
    ...texts.kept,
  ];
  return (
    <Card title={texts.keeping} text={texts.keepingText}>
      <PlainTable columns={[{ header: texts.what }, { header: texts.howLong }]} rows={rows} />
    </Card>
  );
};

const Egress = ({ egress }: Pick<AccountSettingsResponse, 'egress'>): ReactElement => (
  <Card title={texts.egress} text={texts.egressText}>
    <FieldList
      values={{
        [texts.egressAllowed]:
          egress.allowed.length === 0 ? (
            texts.egressNone
          ) : (
            <ul>
              {egress.allowed.map((entry) => (
                <li key={entry}>
                  <code>{entry}</code>
                </li>
              ))}
            </ul>
          ),
        [texts.egressAuthorities]: egress.has_own_authorities ? texts.egressTrusted : texts.egressNotTrusted,
        [texts.egressSetting]: <code>{egress.setting}</code>,
      }}
    />
  </Card>
);

const Leave = (): ReactElement => {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Card title={texts.leaveTitle} text={texts.leaveText}>
      <div className="row">
        <Button icon="signOut" onPress={() => setLeaving(true)}>
          {strings.people.leave}
        </Button>
      </div>
      {isLeaving && <LeaveDialog onClose={() => setLeaving(false)} />}
    </Card>
  );
};

/** The settings of the account, and what the service decides. */
export const SettingsPage = (): ReactElement => {
  const account = useAccount();
  const { data, error, refetch } = useQuery({
    queryKey: ['account-settings'],
    queryFn: ({ signal }) => api.get('/api/v1/account/settings', { signal }),
  });
  return (
    <>
      <PageHeader title={strings.pages.settings} text={texts.text} />
      <div className="stack-lg narrow">
        <AccountFacts />
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        {data && (
          <>
            <SettingsForm settings={data} />
            <Keeping settings={data} />
            <Egress egress={data.egress} />
          </>
        )}
        {account?.role && <Leave />}
      </div>
    </>
  );
};
