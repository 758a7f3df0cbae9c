import { type ReactElement, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { strings } from '../strings/strings.ts';
import { Icon } from './Icon.tsx';
import { Link } from './Link.tsx';

let isFirstPage = true;

/** Sets the title of the document, and moves the focus to the heading after a navigation. */
const useHeading = (title: string) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${strings.product}`;
  }, [title]);
  // At once with the page: a later change would take the focus from what the person has chosen in the meantime.
  useLayoutEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return heading;
};

export type PageHeaderProps = {
  /** Also the title of the document. */
  title: string;
  /** Shown in place of the title, for example an id that can be copied. */
  heading?: ReactNode;
  /** One sentence below the title. */
  text?: ReactNode;
  /** The page above this one. */
  parent?: { href: string; title: string };
  /** Beside the title, such as the state. */
  badge?: ReactNode;
  /** Buttons. */
  actions?: ReactNode;
};

/** The heading of a page; every page has exactly one. */
export const PageHeader = ({ title, heading, text, parent, badge, actions }: PageHeaderProps): ReactElement => {
  const ref = useHeading(title);
  return (
    <header className="page-header">
      <div className="page-header-main">
        {parent && (
          <Link href={parent.href} className="page-header-parent">
            <Icon name="chevronLeft" size={14} />
            {parent.title}
          </Link>
        )}
        <div className="page-header-title">
          <h1 ref={ref} tabIndex={-1} dir="auto">
            {heading ?? title}
          </h1>
          {badge}
        </div>
        {text && <p className="muted">{text}</p>}
      </div>
      {actions && <div className="page-header-actions">{actions}</div>}
    </header>
  );
};
