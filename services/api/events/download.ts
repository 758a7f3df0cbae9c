import type { ServerResponse } from 'node:http';
import { ApiError } from '#contracts/http/api-error.ts';
import type { EventResponse } from '#contracts/http/events.ts';
import {
  type AuditDependencies,
  type EventFilter,
  type EventOrder,
  findEventPage,
  type PositionRange,
} from '#application/audit/find-events.ts';
import { openRunningCounts } from '../server/concurrency-limit.ts';
import { csvLine, csvType } from '../server/csv.ts';
import { eventResponses } from './event-response.ts';

export type DownloadFormat = 'jsonl' | 'csv';

export const downloadTypes: Readonly<Record<DownloadFormat, string>> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: `${csvType}; charset=utf-8`,
};

const csvColumns = ['time', 'type', 'kind', 'subject', 'actor_kind', 'actor_id', 'actor_name'] as const;
const csvHeader = csvLine([...csvColumns, 'request_id', 'trace_id', 'event_id', 'revision', 'data']);

const csvLineOf = ({ actor, data, ...event }: EventResponse): string =>
  csvLine([
    ...[event.time, event.type, event.kind, event.subject, actor.kind, actor.id ?? null, actor.name ?? null],
    ...[event.request_id, event.trace_id, event.id, event.revision, JSON.stringify(data)],
  ]);

const lineOf: Readonly<Record<DownloadFormat, (event: EventResponse) => string>> = {
  jsonl: (event) => `${JSON.stringify(event)}\n`,
  csv: csvLineOf,
};

const eventsPerPage = 100;

export type DownloadRequest = { filter: EventFilter; range: PositionRange; order: EventOrder; format: DownloadFormat };

/**
 * The text of all events that match, a page at a time: a page is read when the caller has taken the one before, and may
 * still read events. @throws ApiError insufficient_permissions when the access has ended
 */
export async function* downloadPages(
  dependencies: AuditDependencies,
  accountId: string,
  { filter, range, order, format }: DownloadRequest,
  isAllowed: () => Promise<boolean>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvHeader;
  let after: string | null = null;
  do {
    const { events, next } = await findEventPage(dependencies, accountId, filter, {
      range,
      after,
      order,
      limit: eventsPerPage,
    });
    const shown = await eventResponses(dependencies.reads, accountId, events);
    if (shown.length > 0) yield shown.map(lineOf[format]).join('');
    after = next?.position ?? null;
    if (after !== null && !(await isAllowed()))
      throw ApiError.of('insufficient_permissions', 'The access ended during the download.', {
        required_permission: 'events:read',
      });
  } while (after !== null);
}

/** How many downloads of one account may run at once in a process. */
export const maxDownloads = 2;
/** A caller who stops reading must not keep a download forever. */
const maxDownloadMs = 60 * 60_000;

export type EventDownloadLimiter = {
  /** Counts a download until its response is closed. @throws ApiError concurrency_limit_exceeded if too many are running */
  begin(accountId: string, response: Pick<ServerResponse, 'once' | 'destroy' | 'closed'>): void;
};

/** Limits the concurrent downloads of each account. */
export const createEventDownloadLimiter = (): EventDownloadLimiter => {
  const { requireRoom, change } = openRunningCounts({ name: 'downloads of events', max: maxDownloads, retryAfter: 5 });
  return {
    begin: (accountId, response) => {
      // Its caller has left, and nothing would end the count.
      if (response.closed) return;
      requireRoom(accountId);
      change(accountId, 1);
      const timer = setTimeout(() => response.destroy(), maxDownloadMs).unref();
      response.once('close', () => {
        clearTimeout(timer);
        change(accountId, -1);
      });
    },
  };
};
