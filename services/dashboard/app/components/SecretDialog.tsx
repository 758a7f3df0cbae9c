import type { ReactElement } from 'react';
import { Button } from './Button.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { Dialog } from './Dialog.tsx';
import { Notice } from './notices.tsx';

type SecretDialogProps = {
  title: string;
  /** Says that it is shown only once. */
  text: string;
  /** The secret and commands with it, by their labels. */
  secrets: Readonly<Record<string, string>>;
  /** The text of the button that closes the dialog. */
  closeText: string;
  /** Breaks lines, so that all of a link is in view. */
  isWrapped?: boolean;
  onClose: () => void;
};

/** Shows a secret once. Only this component has it, and is gone when the dialog closes. */
export const SecretDialog = (props: SecretDialogProps): ReactElement => (
  <Dialog
    onClose={props.onClose}
    role="alertdialog"
    title={props.title}
    actions={
      <Button variant="primary" onPress={props.onClose}>
        {props.closeText}
      </Button>
    }
  >
    <Notice tone="warning">{props.text}</Notice>
    {Object.entries(props.secrets).map(([label, code]) => (
      <div key={label} className={props.isWrapped ? 'secret-link' : undefined}>
        <p className="field-label">{label}</p>
        <CodeBlock code={code} />
      </div>
    ))}
  </Dialog>
);
