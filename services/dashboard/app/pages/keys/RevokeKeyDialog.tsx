import { type ReactElement, useState } from 'react';
import type { KeyResponse } from '#contracts/http/keys.ts';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.keys;
type RevokeKeyDialogProps = { target: Pick<KeyResponse, 'id' | 'name'>; onClose: () => void };

/** Asks before a key is revoked, and for the reason. */
export const RevokeKeyDialog = ({ target: { id, name }, onClose }: RevokeKeyDialogProps): ReactElement => {
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={texts.revokeTitle(name)}
      confirmText={texts.revokeConfirm}
      isDangerous
      onConfirm={() => api.delete('/api/v1/keys/{id}', { params: { id }, query: { reason: reason.trim() } })}
      done={texts.revoked(name)}
      changes={['keys']}
      onClose={onClose}
    >
      <p>{texts.revokeText}</p>
      <TextField label={texts.revokeReason} value={reason} onChange={setReason} isOptional />
    </ConfirmDialog>
  );
};
