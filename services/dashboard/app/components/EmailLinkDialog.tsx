import { type ReactElement, type ReactNode, useState } from 'react';
import { strings } from '../strings/strings.ts';
import { TextField } from './fields.tsx';
import { FormDialog } from './FormDialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';

type CreatedLink = { url: string; email: string };

export type EmailLinkDialogProps = {
  title: string;
  submitText: string;
  email: { label: string; hint: string };
  /** Creates the link for the address. */
  create: (email: string) => Promise<CreatedLink>;
  /** What is shown once with the link. */
  shown: { title: string; text: (email: string) => string; label: string };
  /** Further fields of the API, and the elements that edit them. */
  fields?: readonly string[];
  children?: (errors: Readonly<Record<string, string>>) => ReactNode;
  onClose: () => void;
};

/** Creates a secret link for an email address, then shows it once. */
export const EmailLinkDialog = (props: EmailLinkDialogProps): ReactElement => {
  const { title, submitText, email: texts, create, shown, fields = [], children, onClose } = props;
  const [email, setEmail] = useState('');
  const [created, setCreated] = useState<CreatedLink | null>(null);
  if (created)
    return (
      <SecretDialog
        title={shown.title}
        text={shown.text(created.email)}
        secrets={{ [shown.label]: created.url }}
        closeText={strings.common.done}
        isWrapped
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      submitText={submitText}
      onSubmit={async () => setCreated(await create(email))}
      fields={['email', ...fields]}
    >
      {(errors) => (
        <>
          <TextField
            label={texts.label}
            description={texts.hint}
            type="email"
            value={email}
            onChange={setEmail}
            error={errors['email']}
            autoComplete="off"
            isRequired
            autoFocus
          />
          {children?.(errors)}
        </>
      )}
    </FormDialog>
  );
};
