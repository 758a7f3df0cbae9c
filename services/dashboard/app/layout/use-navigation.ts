import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useAccount, useSession } from '../api/session.ts';
import { navigation, type NavigationSection, operatorItem } from './navigation.ts';
import { strings } from '../strings/strings.ts';

/** The sections of the side navigation that the person may see. */
export const useNavigation = (): NavigationSection[] => {
  const account = useAccount();
  const { data: session } = useSession();
  const allowed = navigation.map((section) => ({
    ...section,
    items: section.items.filter(({ permission }) => !permission || account?.permissions.includes(permission)),
  }));
  const operator = { title: strings.pages.operator, items: [operatorItem] };
  return session?.person.operator ? [...allowed, operator] : allowed;
};

/** The path of the page without the base path. */
export const usePagePath = (): string => useRouterState({ select: ({ location }) => location.pathname });

/** Goes to a path of the dashboard, such as `/renders?status=FAILED`. */
export const useGoTo = (): ((href: string) => void) => {
  const navigate = useNavigate();
  return (href) => {
    const [path, query] = href.split('?');
    const search = Object.fromEntries(new URLSearchParams(query));
    void navigate({ to: path as never, search: search as never });
  };
};
