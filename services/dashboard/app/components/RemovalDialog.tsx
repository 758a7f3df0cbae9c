import type { ReactElement } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from './FormDialog.tsx';
import { showToast } from './Toast.tsx';

export type RemovalDialogProps = {
  title: string;
  /** What will happen. */
  text: string;
  /** The verb, such as "Revoke". */
  confirmText: string;
  /** The message after the removal. */
  done: string;
  remove: () => Promise<unknown>;
  /** The names of the queries to load again. */
  changes: readonly string[];
  onClose: () => void;
};

/** Asks before it removes something. Then shows a message and loads the lists again. */
export const RemovalDialog = (props: RemovalDialogProps): ReactElement => {
  const { title, text, confirmText, done, remove, changes, onClose } = props;
  const queryClient = useQueryClient();
  const confirm = async (): Promise<void> => {
    await remove();
    showToast({ title: done });
    for (const name of changes) void queryClient.invalidateQueries({ queryKey: [name] });
  };
  return (
    <ConfirmDialog isOpen onClose={onClose} title={title} confirmText={confirmText} isDangerous onConfirm={confirm}>
      <p>{text}</p>
    </ConfirmDialog>
  );
};
