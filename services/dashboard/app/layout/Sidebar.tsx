import type { ReactElement } from 'react';
import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useAccount, useSession } from '../api/session.ts';
import { Icon } from '../components/Icon.tsx';
import { Link } from '../components/Link.tsx';
import { strings } from '../strings/strings.ts';
import { chooseAccount, signOut } from './accounts.ts';
import { useNavigation, usePagePath } from './use-navigation.ts';
import logo from '../logo.svg?no-inline';

const texts = strings.layout;

export const Logo = (): ReactElement => (
  <Link href="/" className="logo">
    <img src={logo} alt="" width={22} height={22} />
    {strings.product}
  </Link>
);

/** An operator sees accounts without being their member. */
const roleText = (role: keyof typeof strings.roles | null): string =>
  role === null ? texts.operatorRole : strings.roles[role];

const AccountSwitcher = (): ReactElement => {
  const { data } = useSession();
  const account = useAccount();
  const own = data?.accounts ?? [];
  const isOther = account !== undefined && !own.some(({ id }) => id === account.id);
  const accounts = isOther ? [account, ...own] : own;
  return (
    <MenuTrigger>
      <Button className="switcher">
        <span className="visually-hidden">{texts.switchAccount}: </span>
        <span className="switcher-mark" aria-hidden="true">
          {Array.from(account?.name ?? '?')[0]?.toUpperCase()}
        </span>
        <span className="switcher-text">
          <span className="switcher-name" dir="auto">
            {account?.name ?? strings.common.none}
          </span>
          {account && <span className="switcher-role">{roleText(account.role)}</span>}
        </span>
        <Icon name="sort" size={14} />
      </Button>
      <Popover className="popover" placement="bottom start" offset={4}>
        <Menu
          className="menu"
          aria-label={texts.switchAccount}
          selectionMode="single"
          selectedKeys={account ? [account.id] : []}
          onAction={(key) => void chooseAccount(String(key))}
        >
          {accounts.map(({ id, name, role }) => (
            <MenuItem key={id} id={id} textValue={name} className="menu-item">
              {({ isSelected }) => (
                <>
                  <span className="menu-item-text">
                    {name}
                    <span className="menu-item-detail">{roleText(role)}</span>
                  </span>
                  {isSelected && <Icon name="check" size={14} />}
                </>
              )}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};

const PersonMenu = ({ onShortcuts }: { onShortcuts: () => void }): ReactElement => {
  const { data } = useSession();
  const name = data?.person.name ?? data?.person.email ?? texts.person;
  return (
    <MenuTrigger>
      <Button className="switcher">
        <Icon name="person" />
        <span className="switcher-text">
          <span className="switcher-name" dir="auto">
            {name}
          </span>
        </span>
        <Icon name="sort" size={14} />
      </Button>
      <Popover className="popover" placement="top start" offset={4}>
        <Menu className="menu" aria-label={texts.person}>
          <MenuSection>
            <Header className="menu-header">{data?.person.email ?? name}</Header>
            <MenuItem className="menu-item" href="/account">
              <Icon name="keys" />
              {texts.ownSessions}
            </MenuItem>
            <MenuItem className="menu-item" onAction={onShortcuts}>
              <Icon name="keyboard" />
              {texts.shortcuts}
            </MenuItem>
            <MenuItem className="menu-item" href="/docs" target="_blank">
              <Icon name="book" />
              {texts.apiReference}
            </MenuItem>
            <MenuItem className="menu-item" onAction={() => void signOut()}>
              <Icon name="signOut" />
              {texts.signOut}
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};

const isCurrent = (path: string, href: string): boolean =>
  href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`);

/** The account, the search, the pages and the person. */
export const Sidebar = ({ onSearch, onShortcuts }: { onSearch: () => void; onShortcuts: () => void }): ReactElement => {
  const sections = useNavigation();
  const path = usePagePath();
  return (
    <div className="sidebar">
      <Logo />
      <AccountSwitcher />
      <Button className="sidebar-search" onPress={onSearch} aria-keyshortcuts="Control+K">
        <Icon name="search" size={14} />
        <span>{texts.search}</span>
        <kbd>Ctrl K</kbd>
      </Button>
      <nav aria-label={texts.navigation} className="sidebar-nav">
        {sections.map(({ title, items }) => (
          <div key={title} className="sidebar-section">
            <h2 className="sidebar-title">{title}</h2>
            <ul>
              {items.map(({ href, title: name, icon }) => (
                <li key={href}>
                  <Link
                    href={href}
                    className="sidebar-link"
                    {...(isCurrent(path, href) && { 'aria-current': 'page' as const })}
                  >
                    <Icon name={icon} />
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <PersonMenu onShortcuts={onShortcuts} />
    </div>
  );
};
