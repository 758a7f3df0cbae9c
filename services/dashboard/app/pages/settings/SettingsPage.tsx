import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { AccountSettingsResponse } from '#contracts/http/account.ts';
import { api } from '../../api/client.ts';
import { useAccount } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { Id } from '../../components/Id.tsx';
import { ErrorNotice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
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
  if (!data) return <Skeleton />;
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
  const rows: [string, string][] = [
    [texts.keptPdfs, texts.keptPdfsTime(formatMinutes(settings.pdf_retention.applied_minutes))],
    [texts.otherPdfs, texts.otherPdfsTime],
    ...texts.kept,
  ];
  return (
    <section className="card stack" aria-labelledby="keeping-title">
      <div>
        <h2 id="keeping-title">{texts.keeping}</h2>
        <p className="muted">{texts.keepingText}</p>
      </div>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{texts.what}</th>
            <th scope="col">{texts.howLong}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, time]) => (
            <tr key={what}>
              <th scope="row">{what}</th>
              <td>{time}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const Egress = ({ egress }: Pick<AccountSettingsResponse, 'egress'>): ReactElement => (
  <section className="card stack" aria-labelledby="egress-title">
    <div>
      <h2 id="egress-title">{texts.egress}</h2>
      <p className="muted">{texts.egressText}</p>
    </div>
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
  </section>
);

const Leave = (): ReactElement => {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section className="card stack" aria-labelledby="leave-title">
      <div>
        <h2 id="leave-title">{texts.leaveTitle}</h2>
        <p className="muted">{texts.leaveText}</p>
      </div>
      <div className="row">
        <Button icon="signOut" onPress={() => setLeaving(true)}>
          {strings.people.leave}
        </Button>
      </div>
      {isLeaving && <LeaveDialog onClose={() => setLeaving(false)} />}
    </section>
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
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton lines={6} />}
        <AccountFacts />
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
