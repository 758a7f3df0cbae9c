import { type ReactElement, useEffect } from 'react';
import { PageHeader } from '../components/PageHeader.tsx';
import { Button } from '../components/Button.tsx';
import { LinkButton } from '../components/Link.tsx';
import { EmptyState, ErrorNotice } from '../components/notices.tsx';
import { ApiError, isTemporary } from '../api/api-error.ts';
import { NewerRelease, reloadDashboard } from '../api/load-code.ts';
import { strings } from '../strings/strings.ts';

const texts = strings.errors;

export const NotFound = (): ReactElement => (
  <>
    <PageHeader title={texts.notFoundTitle} />
    <div className="card">
      <EmptyState
        icon="search"
        title={texts.notFoundTitle}
        text={texts.notFoundText}
        action={<LinkButton href="/">{texts.toOverview}</LinkButton>}
      />
    </div>
  </>
);

/** The error stays on the page as long as the service cannot be reached. */
const retry = (): void => void reloadDashboard().catch(() => undefined);

const NotLoaded = ({ error }: { error: unknown }): ReactElement => {
  useEffect(() => {
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, []);
  return (
    <>
      <PageHeader title={texts.notLoadedTitle} />
      <ErrorNotice error={error} onRetry={retry} />
    </>
  );
};

/** Shown when a page throws, or when its code cannot be loaded. */
export const PageError = ({ error }: { error: unknown }): ReactElement =>
  isTemporary(error) || error instanceof NewerRelease ? (
    <NotLoaded error={error} />
  ) : (
    <>
      <PageHeader title={texts.pageTitle} text={error instanceof ApiError ? undefined : texts.pageText} />
      <div className="stack">
        <ErrorNotice error={error} />
        <div>
          <Button icon="refresh" onPress={() => window.location.reload()}>
            {texts.reload}
          </Button>
        </div>
      </div>
    </>
  );
