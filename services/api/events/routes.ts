import Negotiator from 'negotiator';
import { z } from 'zod';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { eventListResponse, eventResponse, listEventsQuery, type ListEventsQuery } from '#contracts/http/events.ts';
import {
  type EventPage,
  findEventDocument,
  findEventPage,
  rangeOfTimes,
  readEvent,
  waitForAudit,
} from '#application/audit/find-events.ts';
import { positionText } from '#libs/projections/audit.ts';
import type { CallerContext } from '../server/context.ts';
import type { Dependencies } from '../server/dependencies.ts';
import { nameSchema, route, type Route, ok } from '../server/route.ts';
import { csvType, sendDownload } from '../server/csv.ts';
import { type DownloadFormat, downloadPages, downloadTypes } from './download.ts';
import { eventResponses } from './event-response.ts';

type ListContext = CallerContext<unknown, ListEventsQuery>;

const mediaTypes: Readonly<Record<string, 'json' | DownloadFormat>> = {
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/x-ndjson': 'jsonl',
  [csvType]: 'csv',
};

/** The format that the caller asks for; JSON if the header Accept names none of them. */
const formatFor = ({ query, accept }: { query: ListEventsQuery; accept: string | undefined }) => {
  if (query.format !== undefined) return query.format;
  const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes(Object.keys(mediaTypes));
  return mediaTypes[preferred ?? 'application/json']!;
};

/** The position of the event with this id, after which a page begins. @throws ApiError invalid_request */
const positionOfCursor = async ({ reads }: Dependencies, accountId: string, cursor: string): Promise<string> => {
  const document = await findEventDocument(reads, accountId, cursor);
  if (document) return document.position;
  throw invalidField('cursor', 'cursor must be the next_cursor of a page.');
};

const cursorOf = async ({ eventLog }: Dependencies, { events, next }: EventPage): Promise<string | null> => {
  if (next === null) return null;
  const last = events.at(-1);
  if (last && positionText(last.position) === next.position) return last.id;
  return (await readEvent(eventLog, next))?.id ?? null;
};

const listEvents = async ({ account, query, reply }: ListContext, dependencies: Dependencies) => {
  const { reads, eventLog, eventDownloads, hasAccess } = dependencies;
  const { order, limit, cursor, since, until, format: _, ...filter } = query;
  await waitForAudit(dependencies);
  const range = await rangeOfTimes(reads, account.id, { since, until });
  const format = formatFor({ query, accept: reply.request.headers.accept });
  if (format !== 'json') {
    const now = eventLog.now();
    eventDownloads.begin(account.id, reply.raw);
    const isAllowed = () => hasAccess(reply.request, 'events:read');
    const pages = downloadPages(dependencies, account.id, { filter, range, order, format }, isAllowed);
    return sendDownload(reply, `events-${now.toISOString().slice(0, 10)}.${format}`, downloadTypes[format], pages);
  }
  const after = cursor === undefined ? null : await positionOfCursor(dependencies, account.id, cursor);
  const page = await findEventPage(dependencies, account.id, filter, { range, after, order, limit });
  return {
    events: await eventResponses(reads, account.id, page.events),
    next_cursor: await cursorOf(dependencies, page),
  };
};

const listDescription = `Lists every event of the account: what happened to its renders, callbacks, templates, keys and \
people, who did it, and when. The events are in the order of the event log. They have no secrets and no hashes of \
secrets.

Each filter is fast over millions of events. With several filters, a page can have fewer events than \`limit\` although \
\`next_cursor\` is not null.

\`format=jsonl\` or \`format=csv\` (or the header \`Accept: application/jsonl\` or \`text/csv\`) downloads all events that \
match, without pages: \`limit\` and \`cursor\` have no effect. An account may run two downloads at once (beyond that \
\`concurrency_limit_exceeded\`). In CSV, a text that a spreadsheet would run as a formula has an apostrophe in front.`;

/** The audit of an account. */
export const eventRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/events',
    operationId: 'listEvents',
    tag: 'Account',
    summary: 'List all events',
    description: listDescription,
    permission: 'events:read',
    request: { query: listEventsQuery },
    responses: [
      ok('One page of events, or a file with all of them.', nameSchema('EventList', eventListResponse), {
        contentType: csvType,
        headers: { 'Content-Disposition': 'With a file: its name.' },
      }),
    ],
    errors: ['concurrency_limit_exceeded'],
    handle: listEvents,
  }),
  route({
    method: 'GET',
    path: '/api/v1/events/{id}',
    operationId: 'getEvent',
    tag: 'Account',
    summary: 'Read an event',
    description: 'Returns one event of the account. Events of other accounts give the same 404.',
    permission: 'events:read',
    request: { params: z.object({ id: z.string().describe('The id of the event.') }) },
    responses: [ok('The event.', nameSchema('Event', eventResponse))],
    errors: ['event_not_found'],
    handle: async ({ account, params: { id } }, dependencies) => {
      const { reads, eventLog } = dependencies;
      await waitForAudit(dependencies);
      const document = await findEventDocument(reads, account.id, id);
      const event = document && (await readEvent(eventLog, document));
      if (event?.id !== id) throw ApiError.of('event_not_found', 'The account has no such event.');
      const [view] = await eventResponses(reads, account.id, [event]);
      return view!;
    },
  }),
];
