import { type ReactElement, useState } from 'react';
import type { TemplateResponse } from '#contracts/http/template-responses.ts';
import { api } from '../../api/client.ts';
import { queryClient, reload } from '../../api/queries.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { showToast } from '../../components/Toast.tsx';
import { useGoTo } from '../../layout/use-navigation.ts';
import { strings } from '../../strings/strings.ts';
import { bodyOf, draftOf, fieldNames, setEditing } from './draft.ts';

type TemplateDialogProps = { template: TemplateResponse; onClose: () => void };

/** Asks for the name of a copy and makes it from the stored version. */
export const DuplicateDialog = ({ template, onClose }: TemplateDialogProps): ReactElement => {
  const texts = strings.templates.duplicate;
  const goTo = useGoTo();
  const [name, setName] = useState(texts.copyOf(template.name));
  const duplicate = async (): Promise<void> => {
    const draft = { ...draftOf(template), name };
    const body = { name, content: draft.content, ...bodyOf(draft, fieldNames) };
    const { id } = await api.post('/api/v1/templates', { body });
    await reload('templates');
    showToast({ title: texts.done });
    onClose();
    goTo(`/templates/${id}`);
  };
  return (
    <FormDialog title={texts.title} onClose={onClose} size="small" submitText={texts.confirm} onSubmit={duplicate}>
      {() => (
        <>
          <p>{texts.text}</p>
          <TextField label={texts.name} value={name} onChange={setName} autoFocus />
        </>
      )}
    </FormDialog>
  );
};

/** Deletes the template after its name was typed. */
export const DeleteDialog = ({ template, onClose }: TemplateDialogProps): ReactElement => {
  const texts = strings.templates.remove;
  const goTo = useGoTo();
  const [typed, setTyped] = useState('');
  const remove = async (): Promise<void> => {
    await api.delete('/api/v1/templates/{template_id}', { params: { template_id: template.id } });
    setEditing(template.id, null);
    showToast({ title: texts.done });
    goTo('/templates');
    queryClient.removeQueries({ queryKey: ['templates', template.id] });
    await reload('templates');
  };
  return (
    <FormDialog
      title={texts.title(template.name)}
      onClose={onClose}
      role="alertdialog"
      size="small"
      submitText={texts.confirm}
      submitVariant="danger"
      isDisabled={typed.trim() !== template.name}
      onSubmit={remove}
    >
      {() => (
        <>
          <p>{texts.text}</p>
          <TextField
            label={texts.typeName(template.name)}
            value={typed}
            onChange={setTyped}
            autoFocus
            autoComplete="off"
          />
        </>
      )}
    </FormDialog>
  );
};
