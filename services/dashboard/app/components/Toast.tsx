import type { ReactElement } from 'react';
import {
  Button,
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { ApiError } from '../api/api-error.ts';
import { strings } from '../strings/strings.ts';
import { Icon } from './Icon.tsx';

export type ToastText = { title: string; text?: string; kind?: 'success' | 'error' };

const queue = new ToastQueue<ToastText>({ maxVisibleToasts: 3 });
const shownMs = 5_000;

/** Shows a short message for 5 seconds; an error stays until it is closed. */
export const showToast = (toast: ToastText): void => {
  queue.add(toast, toast.kind === 'error' ? {} : { timeout: shownMs });
};

/** Shows the message of a failed action. */
export const showError = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error);
  const request =
    error instanceof ApiError && error.requestId ? ` (${strings.errors.requestId} ${error.requestId})` : '';
  showToast({ title: strings.errors.title, text: text + request, kind: 'error' });
};

/** Where the messages appear; once in the page. */
export const Toasts = (): ReactElement => (
  <ToastRegion queue={queue} className="toasts">
    {({ toast }) => (
      <AriaToast toast={toast} className={`toast toast-${toast.content.kind ?? 'success'}`}>
        <Icon name={toast.content.kind === 'error' ? 'error' : 'check'} />
        <ToastContent className="toast-content">
          <Text slot="title">{toast.content.title}</Text>
          {toast.content.text && <Text slot="description">{toast.content.text}</Text>}
        </ToastContent>
        <Button slot="close" aria-label={strings.common.close} className="icon-button">
          <Icon name="close" />
        </Button>
      </AriaToast>
    )}
  </ToastRegion>
);
