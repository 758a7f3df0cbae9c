import { type ReactElement, useState } from 'react';
import { strings } from '../strings/strings.ts';
import { IconButton } from './Button.tsx';
import { showError, showToast } from './Toast.tsx';

const shownMs = 2_000;

/** Pages that came over plain http from another machine have no Clipboard API; the old command works there. */
const copyByCommand = (text: string): void => {
  const write = (event: ClipboardEvent): void => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', write, { once: true, capture: true });
  const isDone = document.execCommand('copy');
  document.removeEventListener('copy', write, { capture: true });
  if (!isDone) throw new Error(strings.errors.notCopied);
};

const writeToClipboard = async (text: string): Promise<void> =>
  'clipboard' in navigator ? navigator.clipboard.writeText(text) : copyByCommand(text);

type CopyButtonProps = { text: string | (() => string); label?: string };

/** Copies a text to the clipboard. */
export const CopyButton = ({ text, label = strings.common.copy }: CopyButtonProps): ReactElement => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await writeToClipboard(typeof text === 'string' ? text : text());
    } catch (error) {
      showError(error);
      return;
    }
    setCopied(true);
    showToast({ title: strings.common.copied });
    setTimeout(() => setCopied(false), shownMs);
  };
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={label} onPress={() => void copy()} />;
};
