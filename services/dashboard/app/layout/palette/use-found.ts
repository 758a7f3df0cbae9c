import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SearchHit } from '#contracts/http/search.ts';
import { api } from '../../api/client.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { hrefOfId } from '../../components/Id.tsx';
import { useDelayed } from '../../components/use-delayed.ts';
import type { IconName } from '../../components/Icon.tsx';
import { withoutSecret } from '../../pages/renders/render-filters.ts';
import { strings } from '../../strings/strings.ts';

/** A thing that the service has found, with its page. */
export type Found = { id: string; group: string; title: string; icon: IconName; href: string };

const texts = strings.palette;
const icons = { render: 'renders', template: 'templates', key: 'keys', person: 'people' } as const;
const inputDelayMs = 150;
const minLength = 2;
const maxHits = 8;

const foundOf = ({ type, id, title }: SearchHit): Found[] => {
  const href = hrefOfId(id);
  return href === undefined ? [] : [{ id, group: texts.types[type], title, icon: icons[type], href }];
};

/** What the service finds by this text: renders, templates, keys and members of the account; for operators accounts. */
export const useFound = (typed: string): { found: Found[]; isSearching: boolean } => {
  const text = useDelayed(withoutSecret(typed.trim()), inputDelayMs);
  const { data: session } = useSession();
  const maySearch = usePermission('jobs:read');
  const isLongEnough = text.length >= minLength;
  const things = useQuery({
    queryKey: ['search', 'palette', text],
    queryFn: ({ signal }) => api.get('/api/v1/search', { query: { q: text, limit: maxHits }, signal }),
    enabled: maySearch && isLongEnough,
    placeholderData: keepPreviousData,
  });
  const accounts = useQuery({
    queryKey: ['operator-accounts', 'palette', text],
    queryFn: ({ signal }) => api.get('/api/v1/operator/accounts', { query: { search: text, limit: maxHits }, signal }),
    enabled: session?.person.operator === true && isLongEnough,
    placeholderData: keepPreviousData,
  });
  if (typed.trim().length < minLength) return { found: [], isSearching: false };
  const hits = things.data?.results.flatMap(foundOf) ?? [];
  const ofOperator = (accounts.data?.accounts ?? []).map(({ id, name }): Found => ({
    id,
    group: texts.accounts,
    title: name,
    icon: 'operator',
    href: `/operator/${id}`,
  }));
  const isSettled = text === withoutSecret(typed.trim());
  return { found: [...hits, ...ofOperator], isSearching: !isSettled || things.isFetching || accounts.isFetching };
};
