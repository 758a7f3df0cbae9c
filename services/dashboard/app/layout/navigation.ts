import type { Permission } from '#contracts/events/account.ts';
import type { IconName } from '../components/Icon.tsx';
import { strings } from '../strings/strings.ts';

export type NavigationItem = {
  href: string;
  title: string;
  icon: IconName;
  /** The key after `g`. */
  key: string;
  /** Without this permission the page has nothing to show. */
  permission?: Permission;
};
export type NavigationSection = { title: string; items: readonly NavigationItem[] };

const { pages, layout } = strings;

/** The pages in the order of the side navigation. */
export const navigation: readonly NavigationSection[] = [
  {
    title: layout.sections.observe,
    items: [
      { href: '/', title: pages.overview, icon: 'overview', key: 'o' },
      { href: '/renders', title: pages.renders, icon: 'renders', key: 'r' },
      { href: '/webhooks', title: pages.webhooks, icon: 'webhooks', key: 'w' },
      { href: '/usage', title: pages.usage, icon: 'usage', key: 'u' },
      { href: '/audit', title: pages.audit, icon: 'audit', key: 'a', permission: 'events:read' },
    ],
  },
  {
    title: layout.sections.build,
    items: [
      { href: '/templates', title: pages.templates, icon: 'templates', key: 't' },
      { href: '/playground', title: pages.playground, icon: 'playground', key: 'p' },
      { href: '/keys', title: pages.keys, icon: 'keys', key: 'k', permission: 'keys:read' },
    ],
  },
  {
    title: layout.sections.account,
    items: [
      { href: '/people', title: pages.people, icon: 'people', key: 'm', permission: 'members:read' },
      { href: '/settings', title: pages.settings, icon: 'settings', key: 's' },
    ],
  },
];

export const operatorItem: NavigationItem = { href: '/operator', title: pages.operator, icon: 'operator', key: 'x' };
export const ownItem: NavigationItem = { href: '/account', title: pages.account, icon: 'person', key: 'y' };
