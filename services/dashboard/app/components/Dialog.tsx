import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { strings } from '../strings/strings.ts';
import { IconButton } from './Button.tsx';

export type DialogProps = {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Buttons at the bottom. */
  actions?: ReactNode;
  size?: 'small' | 'medium' | 'large';
  role?: 'dialog' | 'alertdialog';
};

/** A modal dialog: keeps the focus inside, closes with Escape, and gives the focus back. */
export const Dialog = ({ onClose, title, children, actions, size = 'medium', role = 'dialog' }: DialogProps) => (
  <ModalOverlay
    className="modal-overlay"
    isOpen
    onOpenChange={(open) => !open && onClose()}
    isDismissable={role === 'dialog'}
  >
    <Modal className={`modal modal-${size}`}>
      <AriaDialog role={role} className="dialog">
        <div className="dialog-header">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <IconButton icon="close" label={strings.common.close} onPress={onClose} />
        </div>
        <div className="dialog-body">{children}</div>
        {actions && <div className="dialog-actions">{actions}</div>}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);
