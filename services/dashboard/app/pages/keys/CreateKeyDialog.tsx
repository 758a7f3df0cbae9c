import { type ReactElement, useState } from 'react';
import type { CreatedKeyResponse } from '#contracts/http/keys.ts';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { Select, TextField } from '../../components/fields.tsx';
import { firstRenderCommand } from '../../components/first-render.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { SecretDialog } from '../../components/SecretDialog.tsx';
import { strings } from '../../strings/strings.ts';
import { documentPermissions, PermissionList } from './PermissionList.tsx';
import { useAccount } from '../../api/session.ts';

const texts = strings.keys;

type CreateKeyFormProps = { onClose: () => void; onCreated: (created: CreatedKeyResponse) => void };

const CreateKeyForm = ({ onClose, onCreated }: CreateKeyFormProps): ReactElement => {
  const own = useAccount()?.permissions ?? [];
  const [name, setName] = useState('');
  const [type, setType] = useState<'live' | 'test'>('test');
  const [permissions, setPermissions] = useState(documentPermissions.filter((one) => own.includes(one)));
  const [expires, setExpires] = useState('');

  const create = async (): Promise<void> => {
    const expiresAt = expires === '' ? null : new Date(expires).toISOString();
    const body = { name, type, permissions, expires_at: expiresAt };
    const created = await api.post('/api/v1/keys', { body });
    void reload('keys');
    onCreated(created);
  };
  return (
    <FormDialog
      title={texts.create}
      onClose={onClose}
      submitText={texts.create}
      onSubmit={create}
      fields={['name', 'expires_at']}
    >
      {(fieldErrors) => (
        <>
          <TextField
            label={texts.name}
            description={texts.nameHint}
            value={name}
            onChange={setName}
            error={fieldErrors['name']}
            autoComplete="off"
            isRequired
            autoFocus
          />
          <Select
            label={texts.type}
            description={texts.typeHint}
            value={type}
            onChange={setType}
            options={[
              { value: 'test', label: texts.types.test },
              { value: 'live', label: texts.types.live },
            ]}
          />
          <TextField
            label={texts.expires}
            description={texts.expiresHint}
            type="datetime-local"
            value={expires}
            onChange={setExpires}
            error={fieldErrors['expires_at']}
            isOptional
          />
          <PermissionList chosen={permissions} onChange={setPermissions} />
        </>
      )}
    </FormDialog>
  );
};

/** Creates a key, then shows it once. */
export const CreateKeyDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const [created, setCreated] = useState<CreatedKeyResponse | null>(null);
  if (!created) return <CreateKeyForm onClose={onClose} onCreated={setCreated} />;
  const key = created.key ?? '';
  return (
    <SecretDialog
      title={texts.createdTitle}
      text={texts.shownOnce}
      secrets={{
        [texts.theKey]: key,
        ...(created.permissions.includes('render:create') && { [texts.tryIt]: firstRenderCommand(key) }),
      }}
      closeText={texts.done}
      onClose={onClose}
    />
  );
};
