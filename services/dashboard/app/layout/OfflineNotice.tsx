import { type ReactElement, useSyncExternalStore } from 'react';
import { Notice } from '../components/notices.tsx';
import { strings } from '../strings/strings.ts';

const subscribe = (listener: () => void): (() => void) => {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
};

/** Says that the browser has no connection. */
export const OfflineNotice = (): ReactElement => {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return <div role="status">{!isOnline && <Notice tone="warning" title={strings.errors.offline} />}</div>;
};
