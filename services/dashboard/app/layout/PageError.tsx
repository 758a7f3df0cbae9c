import type { ReactElement } from 'react';
import { PageHeader } from '../components/PageHeader.tsx';
import { Button } from '../components/Button.tsx';
import { LinkButton } from '../components/Link.tsx';
import { EmptyState, ErrorNotice } from '../components/notices.tsx';
import { ApiError } from '../api/api-error.ts';
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

/** Shown when a page throws. */
export const PageError = ({ error }: { error: unknown }): ReactElement => (
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
