import { type ReactElement, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { KeyResponse } from '#contracts/http/keys.ts';
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';

const texts = strings.keys;

/** Asks before a key is revoked, and for the reason. */
export const RevokeKeyDialog = ({
  target,
  onClose,
}: {
  /** The key to revoke; null closes the dialog. */
  target: Pick<KeyResponse, 'id' | 'name'> | null;
  onClose: () => void;
}): ReactElement => {
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const close = (): void => {
    setReason('');
    onClose();
  };
  const revoke = async (): Promise<void> => {
    const { id, name } = target!;
    await api.delete('/api/v1/keys/{id}', { params: { id }, query: { reason: reason.trim() } });
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
    showToast({ title: texts.revoked(name) });
  };
  return (
    <ConfirmDialog
      isOpen={target !== null}
      onClose={close}
      title={texts.revokeTitle(target?.name ?? '')}
      confirmText={texts.revokeConfirm}
      isDangerous
      onConfirm={revoke}
    >
      <p>{texts.revokeText}</p>
      <TextField label={texts.revokeReason} value={reason} onChange={setReason} isOptional />
    </ConfirmDialog>
  );
};
