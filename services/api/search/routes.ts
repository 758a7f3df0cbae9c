import { searchQuery, searchResponse } from '#contracts/http/search.ts';
import { readModels } from '#contracts/names.ts';
import { searchAccount } from '#application/search/search-account.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';

export const searchRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/search',
    operationId: 'search',
    tag: 'Account',
    summary: 'Search',
    description:
      'Finds renders, templates and keys of the account by anything that identifies them: an id or its beginning, a ' +
      'request id, a trace id, the SHA-256 of a PDF, the prefix of a key, or a part of a name. Names that are the text ' +
      'come first, then those that begin with it. Templates are searched with the permission `templates:read`, keys ' +
      'with `keys:read`. A trace id is looked up in the last 200,000 renders. Nothing found is an empty list.',
    permission: 'jobs:read',
    request: { query: searchQuery },
    responses: [ok('What was found.', nameSchema('SearchResults', searchResponse))],
    handle: async ({ account, permissions, query: { q, limit } }, { reads, readYourWrites }) => {
      await readYourWrites.waitForWrites(account.id, readModels.renders, readModels.templates, readModels.apiKeys);
      return { results: await searchAccount({ reads, accountId: account.id, permissions, limit }, q) };
    },
  }),
];
