import { type ReactElement, useState } from 'react';
import { useDenialReason } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { useFilters } from '../../components/FilterBar.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { strings } from '../../strings/strings.ts';
import { DeliveriesTab } from './DeliveriesTab.tsx';
import { RedeliverAllDialog } from './RedeliverAllDialog.tsx';
import { SecretTab } from './SecretTab.tsx';
import { TestTab } from './TestTab.tsx';
import '../../styles/webhooks.css';

const texts = strings.webhooks;

export const WebhooksPage = (): ReactElement => {
  const [{ tab = 'deliveries' }, setFilters] = useFilters();
  const [isRedelivering, setRedelivering] = useState(false);
  const denialReason = useDenialReason('render:create');
  return (
    <>
      <PageHeader
        title={strings.pages.webhooks}
        text={texts.text}
        actions={
          <Button icon="refresh" disabledReason={denialReason} onPress={() => setRedelivering(true)}>
            {texts.redeliverAll.action}
          </Button>
        }
      />
      <Tabs
        label={texts.tabsLabel}
        selected={tab}
        onSelect={(id) => setFilters({ tab: id === 'deliveries' ? '' : id })}
        tabs={[
          { id: 'deliveries', title: texts.tabs.deliveries, content: <DeliveriesTab /> },
          { id: 'secret', title: texts.tabs.secret, content: <SecretTab /> },
          { id: 'test', title: texts.tabs.test, content: <TestTab /> },
        ]}
      />
      {isRedelivering && <RedeliverAllDialog onClose={() => setRedelivering(false)} />}
    </>
  );
};
