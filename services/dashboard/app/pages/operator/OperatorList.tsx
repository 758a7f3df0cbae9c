import { type ReactElement, useState } from 'react';
import type { OperatorResponse } from '#contracts/http/operator.ts';
import { api } from '../../api/client.ts';
import { useCursorList } from '../../api/cursor-list.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../components/Button.tsx';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { EmptyState } from '../../components/notices.tsx';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { Badge } from '../../components/StatusBadge.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.operator;

const columnsFor = (ownId: string | undefined, revoke: (operator: OperatorResponse) => void) => {
  const columns: Column<OperatorResponse>[] = [
    {
      key: 'name',
      header: texts.operator,
      width: 'minmax(8rem, 2fr)',
      cell: ({ id, name }) => (
        <span className="person">
          <span className="person-name" dir="auto" title={name}>
            {name}
          </span>
          <span className="person-details">{id === ownId && <Badge tone="info">{strings.common.you}</Badge>}</span>
        </span>
      ),
    },
    {
      key: 'source',
      header: texts.operatorSource,
      isHiddenOnPhone: true,
      cell: ({ source }) => texts.operatorSources[source],
    },
    {
      key: 'lastSignIn',
      header: texts.lastSignIn,
      isDetailOnPhone: true,
      cell: ({ last_sign_in_at: time }) =>
        time === null ? strings.common.never : <Time time={time} format="relative" />,
    },
    {
      key: 'actions',
      header: '',
      width: '4.75rem',
      align: 'end',
      cell: (operator) =>
        operator.source === 'command' && (
          <Button size="small" aria-label={`${texts.revokeOperator} ${operator.name}`} onPress={() => revoke(operator)}>
            {texts.revokeOperator}
          </Button>
        ),
    },
  ];
  return columns;
};

type RevokeDialogProps = { operator: OperatorResponse; onClose: () => void };

const RevokeDialog = ({ operator: { id, name }, onClose }: RevokeDialogProps): ReactElement => (
  <ConfirmDialog
    title={texts.revokeOperatorTitle(name)}
    confirmText={texts.revokeOperator}
    done={texts.operatorRevoked(name)}
    isDangerous
    onConfirm={() => api.delete('/api/v1/operator/operators/{person_id}', { params: { person_id: id } })}
    // The session, too: it may have been the own one.
    changes={['operators', 'session']}
    onClose={onClose}
  >
    <p>{texts.revokeOperatorText}</p>
  </ConfirmDialog>
);

/** Who sees and changes all accounts. */
export const OperatorList = (): ReactElement => {
  const [chosen, setChosen] = useState<OperatorResponse | null>(null);
  const { data: session } = useSession();
  const list = useCursorList(['operators'], 'operators', (cursor, signal) =>
    api.get('/api/v1/operator/operators', { query: { cursor, limit: 100 }, signal }),
  );
  return (
    <div className="stack">
      <p className="muted">{texts.operatorsText}</p>
      <CodeBlock code={texts.operatorsCommand} />
      <DataTable
        {...list}
        label={texts.operators}
        columns={columnsFor(session?.person.id, setChosen)}
        rowKey={({ id }) => id}
        phoneRowHeight={60}
        empty={
          <EmptyState
            icon="operator"
            title={texts.noOperators}
            text={texts.operatorsText}
            code={texts.operatorsCommand}
          />
        }
      />
      {chosen && <RevokeDialog operator={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
};
