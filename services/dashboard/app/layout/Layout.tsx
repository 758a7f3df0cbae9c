import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { onlineManager } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useAccount, useSession } from '../api/session.ts';
import { IconButton } from '../components/Button.tsx';
import { ErrorNotice, Loading, Notice } from '../components/notices.tsx';
import { PageHeader } from '../components/PageHeader.tsx';
import { strings } from '../strings/strings.ts';
import { Time } from '../components/values.tsx';
import { CommandPalette } from './palette/CommandPalette.tsx';
import { ShortcutsDialog } from './ShortcutsDialog.tsx';
import { Logo, Sidebar } from './Sidebar.tsx';
import { useShortcuts } from './shortcuts.ts';
import { usePagePath } from './use-navigation.ts';

const texts = strings.layout;

/** Says that the account is suspended, since when and why. */
const SuspensionNotice = ({ since, reason }: { since: string; reason: string | null }): ReactElement => (
  <div className="layout-notice">
    <Notice tone="warning" title={texts.suspendedTitle}>
      <p>
        {texts.suspendedSince} <Time time={since} />. {reason && texts.suspendedReason(reason)}
      </p>
      <p>{texts.suspendedText}</p>
    </Notice>
  </div>
);

/** Says that the browser has no connection. */
const OfflineNotice = (): ReactElement => {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {!isOnline && (
        <div className="layout-notice">
          <Notice tone="warning" title={strings.errors.offline} />
        </div>
      )}
    </div>
  );
};

type Overlay = 'palette' | 'shortcuts' | 'navigation';

/** The pages that show no account. */
const needsAccount = (path: string): boolean => !/^\/(?:account|operator)(?:\/|$)/.test(path);

const NoAccount = (): ReactElement => (
  <>
    <PageHeader title={strings.layout.noAccountTitle} />
    <Notice tone="info">{strings.layout.noAccountText}</Notice>
  </>
);

const SignedIn = (): ReactElement => {
  const account = useAccount();
  // Each lies above those before it, and gives the focus back to them.
  const [overlays, setOverlays] = useState<readonly Overlay[]>([]);
  const open = (overlay: Overlay): void => setOverlays((before) => [...new Set([...before, overlay])]);
  const close = (overlay: Overlay): void => setOverlays((before) => before.filter((one) => one !== overlay));
  const closeAll = (): void => setOverlays([]);
  const path = usePagePath();
  useEffect(closeAll, [path]);
  useShortcuts({ openPalette: () => open('palette'), openHelp: () => open('shortcuts') });
  const sidebar = <Sidebar onSearch={() => open('palette')} onShortcuts={() => open('shortcuts')} />;
  return (
    <div className="layout">
      <a href="#content" className="skip-link">
        {strings.layout.skip}
      </a>
      <div className="layout-side">{sidebar}</div>
      <div className="layout-top">
        <IconButton icon="menu" label={strings.layout.openNavigation} onPress={() => open('navigation')} />
        <Logo />
        <IconButton icon="search" label={strings.palette.title} onPress={() => open('palette')} />
      </div>
      <ModalOverlay
        className="modal-overlay"
        isOpen={overlays.includes('navigation')}
        onOpenChange={(isOpen) => !isOpen && close('navigation')}
        isDismissable
      >
        <Modal className="drawer">
          <Dialog aria-label={strings.layout.navigation} className="dialog">
            {sidebar}
          </Dialog>
        </Modal>
      </ModalOverlay>
      <main id="content" className="layout-main" tabIndex={-1}>
        <OfflineNotice />
        {account?.suspended_at && needsAccount(path) && (
          <SuspensionNotice since={account.suspended_at} reason={account.reason} />
        )}
        {account || !needsAccount(path) ? <Outlet /> : <NoAccount />}
      </main>
      <CommandPalette
        isOpen={overlays.includes('palette')}
        onClose={() => close('palette')}
        onRun={closeAll}
        onShortcuts={() => open('shortcuts')}
      />
      {overlays.includes('shortcuts') && <ShortcutsDialog onClose={() => close('shortcuts')} />}
    </div>
  );
};

/** The frame around every page for signed-in people. */
export const Layout = (): ReactElement => {
  const { data, error, refetch } = useSession();
  if (data) return <SignedIn />;
  // A 401 has already led to the page for signing in.
  if (!error || error.status === 401) return <Loading />;
  return (
    <main className="layout-error">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    </main>
  );
};
