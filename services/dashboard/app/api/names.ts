import { useQuery } from '@tanstack/react-query';
import type { Permission } from '#contracts/events/account.ts';
import { loadAllPages } from './cursor-list.ts';
import { api } from './client.ts';
import { usePermission } from './session.ts';

type Names = ReadonlyMap<string, string>;
type Named = { id: string; name: string };

const limit = 100;
/** More pages of templates, keys and members are not loaded for their names. */
const maxPages = 10;
const none: Names = new Map();

const useNames = (
  kind: string,
  permission: Permission,
  isNeeded: boolean,
  load: (signal: AbortSignal) => Promise<{ rows: readonly Named[] }>,
): Names => {
  const mayRead = usePermission(permission);
  const { data } = useQuery({
    queryKey: [kind, 'names'],
    queryFn: async ({ signal }) => new Map((await load(signal)).rows.map(({ id, name }) => [id, name])),
    staleTime: 60_000,
    enabled: mayRead && isNeeded,
  });
  return data ?? none;
};

/** The names of the account's templates by id. */
export const useTemplateNames = (): Names =>
  useNames('templates', 'templates:read', true, (signal) =>
    loadAllPages(maxPages, async (page: number = 1) => {
      const { templates, pages } = await api.get('/api/v1/templates', { query: { page, limit }, signal });
      return { rows: templates, next: page < pages ? page + 1 : null };
    }),
  );

/** The names of the account's keys by id. */
export const useKeyNames = (isNeeded = true): Names =>
  useNames('keys', 'keys:read', isNeeded, (signal) =>
    loadAllPages(maxPages, async (cursor: string | undefined) => {
      const { keys, next_cursor } = await api.get('/api/v1/keys', { query: { cursor, limit }, signal });
      return { rows: keys, next: next_cursor };
    }),
  );

/** The names of the account's members by the id of the person. */
export const useMemberNames = (): Names =>
  useNames('members', 'members:read', true, (signal) =>
    loadAllPages(maxPages, async (cursor: string | undefined) => {
      const { members, next_cursor } = await api.get('/api/v1/members', { query: { cursor, limit }, signal });
      return { rows: members, next: next_cursor };
    }),
  );
