import { type ReactElement, useState } from 'react';
import type { PasskeyResponse } from '#contracts/http/passkeys.ts';
import { api } from '../../api/client.ts';
import { useList } from '../../api/cursor-list.ts';
import { Button } from '../../components/Button.tsx';
import { type Column, DataTable } from '../../components/DataTable.tsx';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { ActionMenu } from '../../components/Menu.tsx';
import { EmptyState, Notice } from '../../components/notices.tsx';
import { Time } from '../../components/values.tsx';
import { strings } from '../../strings/strings.ts';
import { addPasskey, addressWithName } from '../sign-in/passkey.ts';

const texts = strings.account;

type Choice = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: PasskeyResponse };

const columnsFor = (choose: (choice: Choice) => void): Column<PasskeyResponse>[] => [
  {
    key: 'name',
    header: texts.name,
    width: 'minmax(8rem, 2fr)',
    cell: ({ name }) => <span className="person-name">{name}</span>,
  },
  {
    key: 'added',
    header: texts.added,
    width: 'var(--time-column)',
    isHiddenOnPhone: true,
    cell: ({ added_at: time }) => <Time time={time} />,
  },
  {
    key: 'used',
    header: texts.lastUsed,
    width: '7rem',
    isHiddenOnPhone: true,
    cell: ({ last_used_at: time }) =>
      time === null ? <span className="muted">{strings.common.never}</span> : <Time time={time} format="relative" />,
  },
  {
    key: 'actions',
    header: '',
    width: '3rem',
    align: 'end',
    cell: (passkey) => (
      <ActionMenu
        label={passkey.name}
        actions={[
          { id: 'rename', title: texts.rename, icon: 'edit', onAction: () => choose({ kind: 'rename', passkey }) },
          {
            id: 'remove',
            title: texts.remove,
            icon: 'trash',
            isDangerous: true,
            onAction: () => choose({ kind: 'remove', passkey }),
          },
        ]}
      />
    ),
  },
];

const PasskeyDialog = ({ choice, onClose }: { choice: Choice; onClose: () => void }): ReactElement => {
  const [name, setName] = useState(choice.kind === 'add' ? texts.defaultName : choice.passkey.name);
  const act = async (): Promise<void> => {
    if (choice.kind === 'add') await addPasskey(name);
    else {
      const params = { passkey_id: choice.passkey.id };
      if (choice.kind === 'rename') await api.put('/api/v1/session/passkeys/{passkey_id}', { params, body: { name } });
      else await api.delete('/api/v1/session/passkeys/{passkey_id}', { params });
    }
  };
  const done = { add: texts.wasAdded, rename: texts.wasRenamed, remove: texts.wasRemoved };
  const titles = { add: texts.addTitle, rename: texts.renameTitle, remove: texts.removeTitle(name) };
  const verbs = { add: texts.add, rename: texts.rename, remove: texts.remove };
  return (
    <ConfirmDialog
      title={titles[choice.kind]}
      confirmText={verbs[choice.kind]}
      isDangerous={choice.kind === 'remove'}
      onConfirm={act}
      done={done[choice.kind]}
      changes={['own-passkeys']}
      onClose={onClose}
    >
      {choice.kind === 'remove' ? (
        <p>{texts.removeText}</p>
      ) : (
        <TextField label={texts.name} description={texts.addText} value={name} onChange={setName} isRequired />
      )}
    </ConfirmDialog>
  );
};

/** The passkeys of the person. */
export const PasskeyList = (): ReactElement => {
  const [choice, setChoice] = useState<Choice | null>(null);
  const list = useList(['own-passkeys'], async () => (await api.get('/api/v1/session/passkeys')).passkeys);
  const better = addressWithName();
  return (
    <section className="stack" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">{texts.passkeys}</h2>
      <p className="muted">{texts.passkeysText}</p>
      {better !== null && <Notice tone="info">{strings.signIn.passkeyNeedsName(better)}</Notice>}
      <DataTable
        {...list}
        label={texts.passkeys}
        columns={columnsFor(setChoice)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon="keys"
            title={texts.noPasskeys}
            text={texts.noPasskeysText}
            code={strings.signIn.linkCommand}
          />
        }
      />
      {better === null && (
        <div className="row">
          <Button variant="primary" onPress={() => setChoice({ kind: 'add' })}>
            {texts.add}
          </Button>
        </div>
      )}
      {choice && <PasskeyDialog choice={choice} onClose={() => setChoice(null)} />}
    </section>
  );
};
