import type { ReactElement, ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { strings } from '../strings/strings.ts';
import { Button } from './Button.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { Violations } from './Violations.tsx';

type NoticeProps = {
  tone: 'info' | 'success' | 'warning' | 'danger';
  title?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
};

/** A sentence with a colour that says how serious it is. */
export const Notice = ({ tone, title, children, actions }: NoticeProps): ReactElement => {
  const icons = { info: 'info', success: 'check', warning: 'warning', danger: 'error' } as const;
  return (
    <div className={`notice tone-${tone}`} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon name={icons[tone]} size={18} />
      <div className="notice-text">
        {title && <p className="notice-title">{title}</p>}
        {children}
      </div>
      {actions}
    </div>
  );
};

type ErrorNoticeProps = { error: unknown; onRetry?: () => void; title?: string };

/** An error of the API: its message, field, line and request id. */
export const ErrorNotice = ({ error, onRetry, title = strings.errors.title }: ErrorNoticeProps): ReactElement => (
  <Notice
    tone="danger"
    title={title}
    actions={
      onRetry && (
        <Button size="small" icon="refresh" onPress={onRetry}>
          {strings.common.retry}
        </Button>
      )
    }
  >
    <p>{error instanceof Error ? error.message : String(error)}</p>
    {error instanceof ApiError && <Violations error={error.body} />}
    {error instanceof ApiError && error.requestId && (
      <p className="small muted">
        {strings.errors.requestId} <span className="mono">{error.requestId}</span>
      </p>
    )}
  </Notice>
);

type EmptyStateProps = {
  icon?: IconName;
  title: string;
  text?: ReactNode;
  /** A line that can be run. */
  code?: string;
  action?: ReactNode;
};

/** Says that there is nothing yet, and teaches the next step with a line that runs. */
export const EmptyState = ({ icon = 'renders', title, text, code, action }: EmptyStateProps): ReactElement => (
  <div className="empty">
    <span className="empty-icon">
      <Icon name={icon} size={22} />
    </span>
    <h2>{title}</h2>
    {text && <p className="muted">{text}</p>}
    {code && <CodeBlock code={code} />}
    {action}
  </div>
);

/** The place of something that is loading. */
export const Loading = ({ label = strings.common.loading }: { label?: string }): ReactElement => (
  <div className="loading" role="status">
    <span className="spinner" aria-hidden="true" />
    <span className="visually-hidden">{label}</span>
  </div>
);

/** Lines in place of a text or a card that is loading. */
export const Skeleton = ({ lines = 3 }: { lines?: number }): ReactElement => (
  <div className="skeleton" role="status" aria-label={strings.common.loading}>
    {Array.from({ length: lines }, (_, line) => (
      <span key={line} />
    ))}
  </div>
);
