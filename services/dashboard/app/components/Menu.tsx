import type { ReactElement } from 'react';
import { Button, Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Icon, type IconName } from './Icon.tsx';

export type MenuAction = {
  id: string;
  title: string;
  icon?: IconName;
  isDangerous?: boolean;
  isDisabled?: boolean;
} & ({ onAction: () => void } | { href: string });

/** A button with three dots that opens a list of actions. */
export const ActionMenu = ({ label, actions }: { label: string; actions: readonly MenuAction[] }): ReactElement => (
  <MenuTrigger>
    <Button className="icon-button" aria-label={label}>
      <Icon name="more" />
    </Button>
    <Popover className="popover" placement="bottom end" offset={4}>
      <AriaMenu className="menu">
        {actions.map((action) => (
          <MenuItem
            key={action.id}
            id={action.id}
            textValue={action.title}
            isDisabled={action.isDisabled ?? false}
            className={`menu-item${action.isDangerous ? ' menu-item-danger' : ''}`}
            {...('href' in action ? { href: action.href } : { onAction: action.onAction })}
          >
            {action.icon && <Icon name={action.icon} />}
            <span>{action.title}</span>
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
