import { type ReactElement, type ReactNode, useId } from 'react';
import { useMutation } from '@tanstack/react-query';
import { fieldErrorsOf } from '../api/api-error.ts';
import { reload } from '../api/queries.ts';
import { strings } from '../strings/strings.ts';
import { Button, type ButtonVariant } from './Button.tsx';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Form } from './Form.tsx';
import { ErrorNotice } from './notices.tsx';
import { showToast } from './Toast.tsx';

type FormDialogProps = {
  title: string;
  onClose: () => void;
  submitText: string;
  submitVariant?: ButtonVariant;
  /** Sends the form. An error is shown in the dialog: at its field, if `fields` has it. */
  onSubmit: () => Promise<unknown>;
  /** The fields of the API that the form has; with `webhook_headers` also `webhook_headers.x-tenant`. */
  fields?: readonly string[];
  size?: DialogProps['size'];
  role?: DialogProps['role'];
  /** Whether the form cannot be sent yet. */
  isDisabled?: boolean;
  /** Buttons between the one that cancels and the one that sends. */
  otherActions?: ReactNode;
  /**
   * Whether the button that cancels has the focus, so that Enter does no harm: at first, and again when `submitText`
   * changes.
   */
  isCancelFocused?: boolean;
  children: (errors: Readonly<Record<string, string>>) => ReactNode;
};

/** A dialog with a form. It stays open until `onSubmit` closes it. */
export const FormDialog = (props: FormDialogProps): ReactElement => {
  const { title, onClose, submitText, submitVariant = 'primary', fields = [], size, role, children } = props;
  const { isDisabled = false, otherActions, isCancelFocused = false } = props;
  const formId = useId();
  const { mutate: submit, isPending, error } = useMutation({ mutationFn: props.onSubmit });
  const errors = fieldErrorsOf(error);
  const isShownByField = Object.keys(errors).some((at) =>
    fields.some((field) => at === field || at.startsWith(`${field}.`)),
  );
  return (
    <Dialog
      onClose={onClose}
      title={title}
      size={size}
      role={role}
      actions={
        <>
          <Button key={isCancelFocused ? submitText : ''} autoFocus={isCancelFocused} onPress={onClose}>
            {strings.common.cancel}
          </Button>
          {otherActions}
          <Button type="submit" form={formId} variant={submitVariant} isPending={isPending} isDisabled={isDisabled}>
            {submitText}
          </Button>
        </>
      }
    >
      <Form id={formId} className="stack" onSubmit={() => !isPending && !isDisabled && submit()}>
        {children(errors)}
        {error !== null && !isShownByField && <ErrorNotice error={error} />}
      </Form>
    </Dialog>
  );
};

type ConfirmDialogProps = {
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** The verb, such as "Revoke the key". */
  confirmText: string;
  isDangerous?: boolean;
  /** An error is shown in the dialog. */
  onConfirm: () => Promise<unknown>;
  /** The message after the action. */
  done?: string;
  /** The names of the queries to load again after the action. */
  changes?: readonly string[];
  onClose: () => void;
};

/** Asks before an action, and closes after it. */
export const ConfirmDialog = (props: ConfirmDialogProps): ReactElement => {
  const { title, children, confirmText, isDangerous, onConfirm, done, changes = [], onClose } = props;
  const confirm = async (): Promise<void> => {
    await onConfirm();
    if (done !== undefined) showToast({ title: done });
    for (const name of changes) void reload(name);
    onClose();
  };
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      role="alertdialog"
      size="small"
      submitText={confirmText}
      submitVariant={isDangerous ? 'danger' : 'primary'}
      onSubmit={confirm}
      isCancelFocused
    >
      {() => children}
    </FormDialog>
  );
};
