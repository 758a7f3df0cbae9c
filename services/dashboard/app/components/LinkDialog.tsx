import type { ReactElement } from 'react';
import { strings } from '../strings/strings.ts';
import { Button } from './Button.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { Dialog } from './Dialog.tsx';
import { Notice } from './notices.tsx';

/** Shows a secret link once. Only this component has it, and is gone when the dialog closes. */
export const LinkDialog = ({
  title,
  text,
  label,
  url,
  onClose,
}: {
  title: string;
  text: string;
  label: string;
  url: string;
  onClose: () => void;
}): ReactElement => (
  <Dialog
    isOpen
    onClose={onClose}
    role="alertdialog"
    title={title}
    actions={
      <Button variant="primary" onPress={onClose}>
        {strings.common.done}
      </Button>
    }
  >
    <Notice tone="warning">{text}</Notice>
    <div className="secret-link">
      <p className="field-label">{label}</p>
      <CodeBlock label={label} samples={[{ name: label, code: url }]} />
    </div>
  </Dialog>
);
