import { useAccount, useSession } from '../../api/session.ts';
import { hrefOfId } from '../../components/Id.tsx';
import type { IconName } from '../../components/Icon.tsx';
import { strings } from '../../strings/strings.ts';
import { chooseAccount, signOut } from '../accounts.ts';
import { ownItem } from '../navigation.ts';
import { useGoTo, useNavigation } from '../use-navigation.ts';
import type { Permission } from '#contracts/events/account.ts';
import { useFound } from './use-found.ts';

export type Command = { id: string; group: string; title: string; words?: string; icon: IconName; run: () => void };

const texts = strings.palette;

const matches = (title: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.toLowerCase().includes(word));

type PageAction = {
  id: string;
  title: string;
  /** Further words that find it. */
  words?: string;
  icon: IconName;
  href: string;
  permission?: Permission;
};

/** What a page begins when it is opened at this address. */
const pageActions: readonly PageAction[] = [
  {
    id: 'new-render',
    title: texts.newRender,
    words: texts.otherWords.newRender,
    icon: 'playground',
    href: '/playground',
    permission: 'render:create',
  },
  {
    id: 'new-template',
    title: texts.newTemplate,
    icon: 'templates',
    href: '/templates/new',
    permission: 'templates:write',
  },
  {
    id: 'new-key',
    title: texts.newKey,
    words: texts.otherWords.newKey,
    icon: 'keys',
    href: '/keys?dialog=create',
    permission: 'keys:write',
  },
  {
    id: 'test-callback',
    title: texts.testCallback,
    icon: 'webhooks',
    href: '/webhooks?tab=test',
    permission: 'render:create',
  },
  {
    id: 'rotate-secret',
    title: texts.rotateSecret,
    icon: 'webhooks',
    href: '/webhooks?tab=secret',
    permission: 'webhook_secret:write',
  },
  { id: 'invite', title: texts.invite, icon: 'people', href: '/people?dialog=invite', permission: 'members:write' },
];
const operatorAction: PageAction = {
  id: 'open-account',
  title: texts.openAccount,
  words: texts.otherWords.openAccount,
  icon: 'operator',
  href: '/operator?dialog=open',
};

/** The actions of pages that the person may do. */
const usePageActions = (): PageAction[] => {
  const permissions = useAccount()?.permissions ?? [];
  const isOperator = useSession().data?.person.operator === true;
  const allowed = pageActions.filter(({ permission }) => !permission || permissions.includes(permission));
  return isOperator ? [...allowed, operatorAction] : allowed;
};

/** The other accounts of the person. */
const useOtherAccounts = (): Command[] => {
  const { data } = useSession();
  const shown = useAccount()?.id;
  return (data?.accounts ?? [])
    .filter(({ id }) => id !== shown)
    .map(({ id, name }) => ({
      id: `switch-${id}`,
      group: texts.accounts,
      title: texts.switchTo(name),
      icon: 'sort',
      run: () => void chooseAccount(id),
    }));
};

/** The pages, the actions and the things that match a text. Only the page of a whole id, if the text is one. */
export const useCommands = (text: string, onShortcuts: () => void): { commands: Command[]; isSearching: boolean } => {
  const sections = useNavigation();
  const goTo = useGoTo();
  const actionsOfPages = usePageActions();
  const accounts = useOtherAccounts();
  const { layout } = strings;
  const trimmed = text.trim();
  const href = hrefOfId(trimmed);
  const { found, isSearching } = useFound(href ? '' : trimmed);
  if (href) {
    const open: Command = {
      id: trimmed,
      group: texts.actions,
      title: texts.open(trimmed),
      icon: 'search',
      run: () => goTo(href),
    };
    return { commands: [open], isSearching: false };
  }
  const pages = [...sections.flatMap(({ items }) => items), ownItem].map(({ href: to, title, icon }): Command => ({
    id: to,
    group: texts.pages,
    title,
    icon,
    run: () => goTo(to),
  }));
  const actions: Command[] = [
    ...actionsOfPages.map(({ href: to, ...action }): Command => ({
      ...action,
      group: texts.actions,
      run: () => goTo(to),
    })),
    { id: 'shortcuts', group: texts.actions, title: layout.shortcuts, icon: 'keyboard', run: onShortcuts },
    {
      id: 'docs',
      group: texts.actions,
      title: layout.apiReference,
      icon: 'book',
      run: () => void window.open('/docs', '_blank', 'noopener'),
    },
    { id: 'sign-out', group: texts.actions, title: layout.signOut, icon: 'signOut', run: () => void signOut() },
  ];
  const named = [...pages, ...actions, ...accounts].filter(({ title, words = '' }) =>
    matches(`${title} ${words}`, trimmed),
  );
  const things = found.map(({ href: to, ...one }): Command => ({ ...one, run: () => goTo(to) }));
  return { commands: [...named, ...things], isSearching };
};
