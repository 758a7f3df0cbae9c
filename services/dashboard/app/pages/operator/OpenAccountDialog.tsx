import { type ReactElement, useState } from 'react';
import { api } from '../../api/client.ts';
import { reload } from '../../api/queries.ts';
import { FormDialog } from '../../components/FormDialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useGoTo } from '../../layout/use-navigation.ts';
import { strings } from '../../strings/strings.ts';
import { planBodyOf, PlanFields, planFieldNames, planValuesOf } from './PlanFields.tsx';

const texts = strings.operator;

/** Opens an account and leads to its page. */
export const OpenAccountDialog = ({ onClose }: { onClose: () => void }): ReactElement => {
  const goTo = useGoTo();
  const [name, setName] = useState('');
  const [values, setValues] = useState(() => planValuesOf('free', {}));
  const open = async (): Promise<void> => {
    const account = await api.post('/api/v1/operator/accounts', { body: { name, ...planBodyOf(values) } });
    void reload('operator-accounts');
    goTo(`/operator/${account.id}`);
  };
  return (
    <FormDialog
      title={texts.openAccount}
      onClose={onClose}
      submitText={texts.openAccount}
      onSubmit={open}
      fields={['name', ...planFieldNames]}
    >
      {(errors) => (
        <>
          <TextField
            label={texts.name}
            value={name}
            onChange={setName}
            error={errors['name']}
            autoComplete="off"
            isRequired
            autoFocus
          />
          <PlanFields values={values} onChange={setValues} errors={errors} />
        </>
      )}
    </FormDialog>
  );
};
