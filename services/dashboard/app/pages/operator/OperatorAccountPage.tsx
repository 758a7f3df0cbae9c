import { type ReactElement, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { OperatorAccountResponse } from '#contracts/http/operator.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { FieldList } from '../../components/FieldList.tsx';
import { formatCount } from '../../components/formats.ts';
import { Id } from '../../components/Id.tsx';
import { ErrorNotice, Notice, Skeleton } from '../../components/notices.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { PlainTable } from '../../components/PlainTable.tsx';
import { Meter } from '../../components/Stat.tsx';
import { Badge, StatusBadge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { basePath } from '../../api/load-page.ts';
import { chooseAccount } from '../../layout/accounts.ts';
import { strings } from '../../strings/strings.ts';
import { OwnerLinkDialog, PlanDialog, ReinstateDialog, SuspendDialog } from './AccountDialogs.tsx';
import { OperatorsOnly } from './OperatorsOnly.tsx';
import { limitText, usePlans } from './PlanFields.tsx';

const texts = strings.operator;

type LimitName = keyof typeof texts.names;
const limitNames = Object.keys(texts.names) as LimitName[];

const Limits = ({ account }: { account: OperatorAccountResponse }): ReactElement => {
  const ofPlan = usePlans()?.find(({ name }) => name === account.plan)?.limits;
  return (
    <Card title={texts.limits}>
      <PlainTable
        columns={[
          { header: texts.limit },
          { header: texts.ofPlan, align: 'end', className: 'muted' },
          { header: texts.applies, align: 'end' },
        ]}
        rows={limitNames.map((name) => [
          texts.names[name],
          ofPlan && limitText(ofPlan[name]),
          <>
            {name in account.own_limits && <Badge tone="info">{texts.own}</Badge>} {limitText(account.limits[name])}
          </>,
        ])}
      />
    </Card>
  );
};

const Facts = ({ account }: { account: OperatorAccountResponse }): ReactElement => {
  const { used, limit } = account.usage;
  return (
    <section className="card" aria-label={texts.account}>
      <FieldList
        values={{
          [strings.settings.accountId]: <Id id={account.id} isLong withoutLink />,
          [texts.plan]: texts.plans[account.plan],
          [texts.usage]: (
            <>
              {limit === null ? formatCount(used) : texts.usageOf(formatCount(used), formatCount(limit))}
              {limit !== null && <Meter label={texts.usage} used={used} limit={limit} />}
            </>
          ),
          [texts.opened]: <Time time={account.opened_at} />,
        }}
      />
    </section>
  );
};

type DialogName = 'suspend' | 'reinstate' | 'plan' | 'link';
const dialogs = { suspend: SuspendDialog, reinstate: ReinstateDialog, plan: PlanDialog, link: OwnerLinkDialog };

const Account = ({ account }: { account: OperatorAccountResponse }): ReactElement => {
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const show = (): void => void chooseAccount(account.id, basePath);
  const ChosenDialog = dialog && dialogs[dialog];
  const isSuspended = account.state === 'suspended';
  return (
    <>
      <PageHeader
        title={account.name}
        parent={{ href: '/operator', title: strings.pages.operator }}
        badge={<StatusBadge status={account.state} />}
        actions={
          <>
            <Button icon="external" onPress={show}>
              {texts.show}
            </Button>
            <Button icon="people" onPress={() => setDialog('link')}>
              {texts.ownerLink}
            </Button>
            <Button icon="edit" onPress={() => setDialog('plan')}>
              {texts.changePlan}
            </Button>
            {isSuspended ? (
              <Button variant="primary" onPress={() => setDialog('reinstate')}>
                {texts.reinstate}
              </Button>
            ) : (
              <Button icon="warning" onPress={() => setDialog('suspend')}>
                {texts.suspend}
              </Button>
            )}
          </>
        }
      />
      <div className="stack-lg narrow">
        {isSuspended && account.suspended_at !== null && (
          <Notice tone="warning">
            {texts.suspendedSince} <Time time={account.suspended_at} />: {account.reason}
          </Notice>
        )}
        <Facts account={account} />
        <Limits account={account} />
      </div>
      {ChosenDialog && <ChosenDialog account={account} onClose={() => setDialog(null)} />}
    </>
  );
};

const LoadedAccount = (): ReactElement => {
  const { accountId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery({
    queryKey: ['operator-account', accountId],
    queryFn: ({ signal }) =>
      api.get('/api/v1/operator/accounts/{account_id}', { params: { account_id: accountId }, signal }),
  });
  if (data) return <Account account={data} />;
  return (
    <>
      <PageHeader title={texts.account} parent={{ href: '/operator', title: strings.pages.operator }} />
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />}
    </>
  );
};

/** One account, for operators. */
export const OperatorAccountPage = (): ReactElement => (
  <OperatorsOnly>
    <LoadedAccount />
  </OperatorsOnly>
);
