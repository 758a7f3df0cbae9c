import { type ReactElement, useState } from 'react';
import type { OperatorAccountResponse } from '#contracts/http/operator.ts';
import { api } from '../../api/client.ts';
import { queryClient, reload } from '../../api/queries.ts';
import { EmailLinkDialog } from '../../components/EmailLinkDialog.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { showToast } from '../../components/Toast.tsx';
import { strings } from '../../strings/strings.ts';
import { planBodyOf, PlanFields, planFieldNames, planValuesOf } from './PlanFields.tsx';

const texts = strings.operator;
export type AccountDialogProps = { account: OperatorAccountResponse; onClose: () => void };

/** Shows the changed account at once, here and in the list. */
const showChanged = (account: OperatorAccountResponse, title: string): void => {
  queryClient.setQueryData(['operator-account', account.id], account);
  void reload('operator-accounts');
  showToast({ title });
};

const reasonFields = (reason: string): { reason?: string } => (reason.trim() === '' ? {} : { reason });

type ReasonDialogProps = AccountDialogProps & {
  title: string;
  text: string;
  hint: string;
  submitText: string;
  isRequired: boolean;
  /** The message after the change. */
  done: string;
  change: (reason: string) => Promise<OperatorAccountResponse>;
};

/** Changes the state of an account, with the reason. A reason that is required is for something dangerous. */
const ReasonDialog = (props: ReasonDialogProps): ReactElement => {
  const { title, text, hint, submitText, isRequired, done, change, onClose } = props;
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      submitText={submitText}
      submitVariant={isRequired ? 'danger' : 'primary'}
      onSubmit={async () => {
        showChanged(await change(reason), done);
        onClose();
      }}
      fields={['reason']}
    >
      {(errors) => (
        <>
          <p>{text}</p>
          <TextField
            label={texts.reason}
            description={hint}
            value={reason}
            onChange={setReason}
            error={errors['reason']}
            isRequired={isRequired}
            isOptional={!isRequired}
            autoFocus
          />
        </>
      )}
    </FormDialog>
  );
};

export const SuspendDialog = (props: AccountDialogProps): ReactElement => (
  <ReasonDialog
    {...props}
    title={texts.suspendTitle(props.account.name)}
    text={texts.suspendText}
    hint={texts.suspendReasonHint}
    submitText={texts.suspend}
    isRequired
    done={texts.suspended}
    change={(reason) => {
      const params = { account_id: props.account.id };
      return api.post('/api/v1/operator/accounts/{account_id}/suspend', { params, body: { reason } });
    }}
  />
);

export const ReinstateDialog = (props: AccountDialogProps): ReactElement => (
  <ReasonDialog
    {...props}
    title={texts.reinstateTitle(props.account.name)}
    text={texts.reinstateText}
    hint={texts.reasonHint}
    submitText={texts.reinstate}
    isRequired={false}
    done={texts.reinstated}
    change={(reason) => {
      const params = { account_id: props.account.id };
      return api.post('/api/v1/operator/accounts/{account_id}/reinstate', { params, body: reasonFields(reason) });
    }}
  />
);

export const PlanDialog = ({ account, onClose }: AccountDialogProps): ReactElement => {
  const [values, setValues] = useState(() => planValuesOf(account.plan, account.own_limits));
  const [reason, setReason] = useState('');
  const change = async (): Promise<void> => {
    const params = { account_id: account.id };
    const body = { ...planBodyOf(values), ...reasonFields(reason) };
    showChanged(await api.put('/api/v1/operator/accounts/{account_id}/plan', { params, body }), texts.planChanged);
    onClose();
  };
  return (
    <FormDialog
      title={texts.changePlan}
      onClose={onClose}
      submitText={strings.common.save}
      onSubmit={change}
      fields={['reason', ...planFieldNames]}
    >
      {(errors) => (
        <>
          <p className="muted">{texts.changePlanText}</p>
          <PlanFields values={values} onChange={setValues} errors={errors} />
          <TextField
            label={texts.reason}
            description={texts.reasonHint}
            value={reason}
            onChange={setReason}
            error={errors['reason']}
            isOptional
          />
        </>
      )}
    </FormDialog>
  );
};

/** Creates a one-time link for an owner, then shows it once. */
export const OwnerLinkDialog = ({ account, onClose }: AccountDialogProps): ReactElement => (
  <EmailLinkDialog
    title={texts.ownerLink}
    submitText={texts.ownerLinkCreate}
    email={{ label: texts.email, hint: texts.ownerLinkText }}
    create={(email) => {
      const params = { account_id: account.id };
      return api.post('/api/v1/operator/accounts/{account_id}/owner-link', { params, body: { email } });
    }}
    shown={{ title: texts.ownerLinkTitle, text: texts.ownerLinkShown, label: texts.link }}
    onClose={onClose}
  />
);
