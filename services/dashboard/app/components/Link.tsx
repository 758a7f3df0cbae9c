import { type ReactElement, type ReactNode, use } from 'react';
import { Link as AriaLink, type LinkProps as AriaLinkProps } from 'react-aria-components';
import type { ButtonVariant } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { WithoutControlsContext } from './without-controls.ts';

export type LinkProps = Omit<AriaLinkProps, 'className' | 'children' | 'style'> & {
  /** A path of the dashboard such as `/renders?status=FAILED`, or a whole URL. */
  href: string;
  children: ReactNode;
  className?: string;
};

/** A link to a page of the dashboard; it does not load the page anew. */
export const Link = ({ className = 'link', ...props }: LinkProps): ReactElement =>
  use(WithoutControlsContext) ? (
    <span className={className}>{props.children}</span>
  ) : (
    <AriaLink {...props} className={className} />
  );

/** A link that looks like a button. */
export const LinkButton = ({
  variant = 'secondary',
  icon,
  children,
  ...props
}: LinkProps & { variant?: ButtonVariant; icon?: IconName }): ReactElement => (
  <AriaLink {...props} className={`button button-${variant} button-medium`}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </AriaLink>
);
