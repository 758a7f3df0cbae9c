import { type ReactElement, type ReactNode, use, useEffect } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { strings } from '../strings/strings.ts';
import { Icon, type IconName } from './Icon.tsx';
import { WithoutControlsContext } from './without-controls.ts';
import { Tooltip } from './Tooltip.tsx';

const shownMs = 5_000;

let region: HTMLElement | undefined;
let timer: number | undefined;

/** React Aria hides everything outside an open dialog from screen readers, except what has this attribute. */
const createRegion = (): HTMLElement => {
  const created = document.createElement('div');
  created.dataset['liveAnnouncer'] = 'true';
  created.setAttribute('aria-live', 'polite');
  created.className = 'visually-hidden';
  document.body.append(created);
  return created;
};

/** Reads a text out to people who use a screen reader. */
const announce = (text: string): void => {
  region ??= createRegion();
  region.textContent = text;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => region?.replaceChildren(), shownMs);
};

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

export type ButtonProps = Omit<AriaButtonProps, 'className' | 'children' | 'style'> & {
  children: ReactNode;
  /** `primary` at most once per view. Default: secondary. */
  variant?: ButtonVariant;
  size?: 'small' | 'medium';
  icon?: IconName;
  /** Why the button is disabled; shown as tooltip. The button stays focusable, so that everybody can read it. */
  disabledReason?: string | null | undefined;
};

/**
 * A button with a text. While it is pending it keeps the focus and does nothing. React Aria would say so by an image
 * that is named by the button, and has no name as soon as the button is gone.
 */
export const Button = ({
  children,
  variant = 'secondary',
  size = 'medium',
  icon,
  disabledReason,
  onPress,
  isPending = false,
  type = 'button',
  ...rest
}: ButtonProps): ReactElement => {
  const isBlocked = typeof disabledReason === 'string';
  useEffect(() => {
    if (isPending) announce(strings.common.inProgress);
  }, [isPending]);
  const button = (
    <AriaButton
      {...rest}
      {...(isBlocked || isPending ? { 'aria-disabled': 'true' } : onPress ? { onPress } : {})}
      type={isPending ? 'button' : type}
      className={`button button-${variant} button-${size}${isPending ? ' button-pending' : ''}`}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </AriaButton>
  );
  return isBlocked ? <Tooltip text={disabledReason}>{button}</Tooltip> : button;
};

export type IconButtonProps = Omit<AriaButtonProps, 'className' | 'children' | 'style'> & {
  icon: IconName;
  /** What the button does; read out, and shown as tooltip. */
  label: string;
};

/** A button with an icon only. */
export const IconButton = ({ icon, label, ...rest }: IconButtonProps): ReactElement =>
  use(WithoutControlsContext) ? (
    <span className="icon-button" />
  ) : (
    <Tooltip text={label}>
      <AriaButton {...rest} aria-label={label} className="icon-button">
        <Icon name={icon} />
      </AriaButton>
    </Tooltip>
  );
