import type { Permission } from '#contracts/events/account.ts';
import type { SearchHit } from '#contracts/http/search.ts';
import { apiKeyIdOf, jobIdOf, personIdOf, readModels, renderIdOf, templateIdOf } from '#contracts/names.ts';
import { timeOfId } from '#libs/ids/ulids.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { MemberDocument } from '#libs/projections/members.ts';
import type { PersonDocument } from '#libs/projections/people.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { TemplateDocument } from '#libs/projections/templates.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';
import { lowestIdAt, scanRenders } from '#application/renders/list-renders.ts';

/** What a search text can identify. A bare id, without a prefix, can be of any type. */
type SearchTerm =
  | { kind: 'id'; type: 'render' | 'template' | 'key' | 'person' | null; from: string }
  | { kind: 'request'; id: string }
  | { kind: 'trace'; traceId: string }
  | { kind: 'sha256'; sha256: string }
  | { kind: 'keyPrefix'; text: string }
  | { kind: 'name'; text: string };

const typesByPrefix = {
  render: 'render',
  job: 'render',
  delivery: 'render',
  msg: 'render',
  tpl: 'template',
  key: 'key',
  person: 'person',
} as const;

const idPattern = /^(?:(render|job|delivery|msg|tpl|key|person)_)?([0-9A-HJKMNP-TV-Z]{6,26})$/i;

/** The kinds of things that a text can mean, the most exact first. A name can be anything. */
const parseSearch = (text: string): SearchTerm[] => {
  const name: SearchTerm = { kind: 'name', text: text.toLowerCase() };
  const request = /^req_([0-7][0-9A-HJKMNP-TV-Z]{25})$/.exec(text);
  if (request) return [{ kind: 'request', id: text }];
  if (/^svc_(live|test)_/.test(text)) return [{ kind: 'keyPrefix', text }];
  const traceparent = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(text);
  if (traceparent) return [{ kind: 'trace', traceId: traceparent[1]! }];
  if (/^[0-9a-f]{64}$/i.test(text)) return [{ kind: 'sha256', sha256: text.toLowerCase() }];
  if (/^[0-9a-f]{32}$/i.test(text)) return [{ kind: 'trace', traceId: text.toLowerCase() }, name];
  const id = idPattern.exec(text);
  if (!id) return [name];
  const prefix = id[1]?.toLowerCase() as keyof typeof typesByPrefix | undefined;
  const from = id[2]!.toUpperCase();
  return prefix ? [{ kind: 'id', type: typesByPrefix[prefix], from }] : [{ kind: 'id', type: null, from }, name];
};

/** Whose things are searched. Types that `permissions` do not allow to read are left out. */
export type SearchContext = { reads: ReadStore; accountId: string; permissions: readonly Permission[]; limit: number };

type Matched = SearchHit['matched'];

const renderHit = ({ id, source, status, createdAt, kind }: RenderDocument, matched: Matched): SearchHit => ({
  type: 'render',
  id: renderIdOf(id),
  title:
    source.mode === 'CONVERT'
      ? source.inputType
      : source.mode === 'COMPOSE'
        ? `${source.parts} parts`
        : `${templateIdOf(source.templateId)}, version ${source.templateVersion}`,
  matched,
  status,
  created_at: createdAt,
  ...(kind === 'asynchronous' ? { job_id: jobIdOf(id) } : {}),
});
const templateHit = ({ id, name, createdAt }: TemplateDocument, matched: Matched): SearchHit => ({
  type: 'template',
  id: templateIdOf(id),
  title: name,
  matched,
  created_at: createdAt,
});
const keyHit = ({ id, name, issuedAt, isRevoked }: ApiKeyDocument, matched: Matched): SearchHit => ({
  type: 'key',
  id: apiKeyIdOf(id),
  title: name,
  matched,
  ...(isRevoked ? { status: 'revoked' } : {}),
  created_at: issuedAt,
});

const personHit = ({ id, name }: PersonDocument, matched: Matched): SearchHit => ({
  type: 'person',
  id: personIdOf(id),
  title: name,
  matched,
});

const newestFirst = { by: 'id', descending: true };
/** Greater than every character of an id. */
const afterIds = '~';

/** A client sends a request before its render gets an id; the upload of a body takes some time. */
const requestWindow = { beforeMs: 1_000, afterMs: 120_000, maxRead: 1_000 };

const findRequest = async ({ reads, accountId }: SearchContext, requestId: string): Promise<RenderDocument[]> => {
  const time = timeOfId(requestId.slice('req_'.length)).getTime();
  const found = await reads.find(readModels.renders, {
    where: { accountId },
    range: {
      by: 'id',
      from: lowestIdAt(time - requestWindow.beforeMs),
      before: lowestIdAt(time + requestWindow.afterMs),
    },
    sort: { by: 'id', descending: false },
    limit: requestWindow.maxRead,
  });
  return (found as RenderDocument[]).filter((render) => render.requestId === requestId);
};

const findRenders = async (context: SearchContext, term: SearchTerm): Promise<SearchHit[]> => {
  const { reads, accountId, limit } = context;
  const find = async (where: Record<string, string>, from?: string): Promise<RenderDocument[]> =>
    (await reads.find(readModels.renders, {
      where: { accountId, ...where },
      range: { by: 'id', from, before: `${from ?? ''}${afterIds}` },
      sort: newestFirst,
      limit,
    })) as RenderDocument[];
  switch (term.kind) {
    case 'id':
      return term.type === null || term.type === 'render'
        ? (await find({}, term.from)).map((render) => renderHit(render, 'id'))
        : [];
    case 'request':
      return (await findRequest(context, term.id)).map((render) => renderHit(render, 'request_id'));
    case 'trace': {
      const { ids } = await scanRenders(reads, { accountId, traceId: term.traceId }, {}, limit);
      const found = (await reads.getMany(readModels.renders, ids)) as RenderDocument[];
      return found.map((render) => renderHit(render, 'trace_id'));
    }
    case 'sha256':
      return (await find({ 'pdf.sha256': term.sha256 })).map((render) => renderHit(render, 'pdf_sha256'));
    default:
      return [];
  }
};

/** How a named thing with this bare id matches a term; null if it does not. */
const matchOf = (
  term: SearchTerm,
  type: 'template' | 'key' | 'person',
  { id, name, prefix }: { id: string; name: string; prefix?: string },
): Matched | null => {
  switch (term.kind) {
    case 'id':
      return (term.type === null || term.type === type) && id.startsWith(term.from) ? 'id' : null;
    case 'name':
      return name.toLowerCase().includes(term.text) ? 'name' : null;
    case 'keyPrefix':
      return prefix !== undefined && (prefix.startsWith(term.text) || term.text.startsWith(prefix)) ? 'prefix' : null;
    default:
      return null;
  }
};

/** How many templates (the newest), keys (the newest) and members of an account are searched by name. */
const maxNamed = 1_000;

type Named = TemplateDocument | ApiKeyDocument;

/** The templates or keys of an account that a term can identify: the newest, and the one whose whole id it is. */
const findNamed = async <Found extends Named>(
  { reads, accountId }: SearchContext,
  model: string,
  newest: NonNullable<Query['sort']>,
  terms: readonly SearchTerm[],
): Promise<Found[]> => {
  const ids = terms.flatMap((term) => (term.kind === 'id' ? [term.from] : []));
  const [recent, identified] = (await Promise.all([
    reads.find(model, { where: { accountId }, sort: newest, limit: maxNamed }),
    reads.getMany(model, ids),
  ])) as [Found[], Found[]];
  const isNew = ({ id }: Found): boolean => recent.every((found) => found.id !== id);
  return [...recent, ...identified.filter((found) => found.accountId === accountId && isNew(found))];
};

const findTemplates = async (context: SearchContext, terms: readonly SearchTerm[]): Promise<SearchHit[]> => {
  const sort = { by: 'createdAt', descending: true };
  const found = await findNamed<TemplateDocument>(context, readModels.templates, sort, terms);
  return found.flatMap((template) => {
    const matched = terms.map((term) => matchOf(term, 'template', template)).find((match) => match !== null);
    return matched ? [templateHit(template, matched)] : [];
  });
};

const findKeys = async (context: SearchContext, terms: readonly SearchTerm[]): Promise<SearchHit[]> => {
  const found = await findNamed<ApiKeyDocument>(context, readModels.apiKeys, newestFirst, terms);
  return found.flatMap((key) => {
    const matched = terms.map((term) => matchOf(term, 'key', key)).find((match) => match !== null);
    return matched ? [keyHit(key, matched)] : [];
  });
};

const findPeople = async ({ reads, accountId }: SearchContext, terms: readonly SearchTerm[]): Promise<SearchHit[]> => {
  const members = (await reads.find(readModels.members, { where: { accountId }, limit: maxNamed })) as MemberDocument[];
  const ids = members.map(({ personId }) => personId);
  const people = (await reads.getMany(readModels.people, ids)) as PersonDocument[];
  return people.flatMap((person) => {
    const named = { id: person.id, name: `${person.name} ${person.email ?? ''}` };
    const matched = terms.map((term) => matchOf(term, 'person', named)).find((match) => match !== null);
    return matched ? [personHit(person, matched)] : [];
  });
};

/** Where a text is in a name: 0 it is all of it, 1 its beginning, 2 another part. Other matches are exact. */
const distanceOf = ({ matched, title }: SearchHit, text: string): number => {
  if (matched !== 'name') return 0;
  const name = title.toLowerCase();
  return name === text ? 0 : name.startsWith(text) ? 1 : 2;
};

/**
 * Finds things of an account by a text that identifies them, at most `limit`: renders first, then templates, keys and
 * people. Among these, a name that is the text comes first, then those that begin with it.
 */
export const searchAccount = async (context: SearchContext, text: string): Promise<SearchHit[]> => {
  const terms = parseSearch(text);
  const isNamed = terms.some(({ kind }) => kind === 'id' || kind === 'name' || kind === 'keyPrefix');
  const may = (permission: Permission): boolean => context.permissions.includes(permission);
  const [templates, keys, people, ...renders] = await Promise.all([
    isNamed && may('templates:read') ? findTemplates(context, terms) : [],
    isNamed && may('keys:read') ? findKeys(context, terms) : [],
    isNamed && may('members:read') ? findPeople(context, terms) : [],
    ...terms.map((term) => findRenders(context, term)),
  ]);
  const wanted = text.toLowerCase();
  const named = [...templates, ...keys, ...people].toSorted((a, b) => distanceOf(a, wanted) - distanceOf(b, wanted));
  return [...renders.flat(), ...named].slice(0, context.limit);
};
