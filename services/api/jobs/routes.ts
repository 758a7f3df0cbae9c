import type { FastifyInstance } from 'fastify';
import { encodeTime } from 'ulid';
import { diagnosticsQuery } from '#contracts/http/diagnostics.ts';
import { listJobsQuery, redeliverJob, redeliverJobs } from '#contracts/http/jobs.ts';
import { Problem } from '#contracts/http/problem.ts';
import { bareId, jobIdOf, readModels, streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { Log } from '#application/handling/handle.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import type { TargetParts } from '#application/deliveries/target.ts';
import { requirePermission } from '../server/authenticate.ts';
import { callerOf } from '../server/caller.ts';
import type { Caller } from '../server/callers.ts';
import { causeOf } from '../server/cause.ts';
import { eventView } from '../server/event-view.ts';
import type { Freshness } from '../server/freshness.ts';
import { bodyOf, pathOf, queryOf } from '../server/query.ts';
import { validated } from '../server/validate.ts';
import { abandonment } from '../renders/send-render.ts';
import { diagnosticsOf, type DiagnosticsParts } from './diagnostics.ts';
import { redeliver } from './redeliver.ts';
import { jobOf, type UrlOf } from './view.ts';

export type JobParts = TargetParts & DiagnosticsParts & { log: Log; reads: ReadStore; freshness: Freshness; urlOf: UrlOf };

const { renders, deliveries } = readModels;
const redeliveredAtOnce = 1_000;
const longestWaitMs = 1_000;

const jobNotFound = (): Problem => Problem.of('job_not_found', 'The account has no such job.');

/** The smallest id that a job created at this time can have: ids begin with the time in milliseconds. */
const lowestIdAt = (time: string): string => encodeTime(Math.max(0, Date.parse(time)), 10) + '0'.repeat(16);

const earliest = (...ids: (string | undefined)[]): string | undefined => ids.filter((id) => id !== undefined).toSorted()[0];

const cursorId = (cursor: string | undefined): string | undefined => {
  if (cursor === undefined) return undefined;
  const id = bareId('job', cursor);
  if (!id) throw Problem.of('invalid_request', 'cursor must be the next_cursor of another page.', { field: 'cursor' });
  return id;
};

/** What the log has of a job, in order. */
const storyOf = async ({ store }: Log, id: string): Promise<RecordedEvent[]> => {
  const [render, callback] = await Promise.all([store.read(streams.render(id)), store.read(streams.delivery(id))]);
  return [...render, ...callback].toSorted((a, b) => a.position - b.position);
};

/** A job as the log has it now: who has just had a callback must not find the job still under way. */
const requireJob = async ({ log, reads }: JobParts, { account }: Caller, prefixed: string): Promise<{ document: RenderDocument; story: RecordedEvent[] }> => {
  const id = bareId('job', prefixed);
  const story = id ? await storyOf(log, id) : [];
  if (!id || story[0]?.metadata.accountId !== account.id) throw jobNotFound();
  await Promise.all([renders, deliveries].map((model) => reads.reached(model, story.at(-1)!.position, longestWaitMs)));
  const document = (await reads.get(renders, id)) as RenderDocument | null;
  if (!document) throw Problem.of('service_unavailable', 'The job is there and cannot be shown yet. Try again in a moment.', { retry_after: 1 });
  return { document, story };
};

/** Jobs of an account: list, one, its history, and its callback sent again. */
export const registerJobRoutes = (app: FastifyInstance, parts: JobParts): void => {
  const { log, reads, freshness, urlOf } = parts;

  const viewOf = async (document: RenderDocument) => {
    const callback = document.webhookUrl === null ? null : ((await reads.get(deliveries, document.id)) as DeliveryDocument | null);
    return jobOf(document, callback, urlOf, log.now());
  };

  app.get('/api/v1/jobs', async (request) => {
    const caller = callerOf(request);
    const { status, since, until, limit, cursor } = validated(listJobsQuery, queryOf(request));
    requirePermission(caller, 'jobs:read');
    await freshness.settled(caller.account.id, renders, deliveries);
    const where = { accountId: caller.account.id, isJob: true, ...(status ? { status } : {}) };
    const range = { by: 'id', from: since && lowestIdAt(since), before: earliest(until && lowestIdAt(until), cursorId(cursor)) };
    const found = (await reads.find(renders, { where, range, sort: { by: 'id', descending: true }, limit: limit + 1 })) as RenderDocument[];
    const page = found.slice(0, limit);
    return { jobs: await Promise.all(page.map(viewOf)), next_cursor: found.length > limit ? jobIdOf(page.at(-1)!.id) : null };
  });

  app.get('/api/v1/jobs/:job_id', async (request, reply) => {
    const caller = callerOf(request);
    const wanted = validated(diagnosticsQuery, queryOf(request)).diagnostics === 'true';
    requirePermission(caller, 'jobs:read');
    if (wanted) requirePermission(caller, 'render:create');
    const { document } = await requireJob(parts, caller, pathOf(request).job_id!);
    const diagnostics = wanted ? await diagnosticsOf(parts, document.id, causeOf(request), abandonment(reply)) : null;
    return { ...(await viewOf(document)), ...(diagnostics ? { diagnostics } : {}) };
  });

  app.get('/api/v1/jobs/:job_id/events', async (request) => {
    const caller = callerOf(request);
    requirePermission(caller, 'jobs:read');
    const { document, story } = await requireJob(parts, caller, pathOf(request).job_id!);
    return { job_id: jobIdOf(document.id), events: story.map(eventView) };
  });

  app.post('/api/v1/jobs/:job_id/redeliver', async (request) => {
    const caller = callerOf(request);
    const given = validated(redeliverJob, request.body ? bodyOf(request) : {});
    requirePermission(caller, 'render:create');
    const { document } = await requireJob(parts, caller, pathOf(request).job_id!);
    if (document.webhookUrl === null) throw Problem.of('invalid_request', 'The job has no webhook_url, so there is no callback to send again.', { field: 'job_id' });
    const position = await redeliver(parts, document.id, given, causeOf(request));
    if (position !== null) freshness.wrote(caller.account.id, position, deliveries);
    await freshness.settled(caller.account.id, deliveries);
    const { job_id, webhook_status } = await viewOf(document);
    return { job_id, webhook_status };
  });

  app.post('/api/v1/jobs/redeliver', async (request) => {
    const caller = callerOf(request);
    const { since } = validated(redeliverJobs, bodyOf(request));
    requirePermission(caller, 'render:create');
    await freshness.settled(caller.account.id, deliveries);
    const range = { by: 'failedAt', from: new Date(since).toISOString() };
    const failed = (isSealed: boolean) =>
      reads.find(deliveries, { where: { accountId: caller.account.id, status: 'failed', isSealed }, range, sort: { by: 'failedAt', descending: false }, limit: redeliveredAtOnce }) as Promise<DeliveryDocument[]>;
    const [open, erased] = await Promise.all([failed(false), failed(true)]);
    const again: string[] = [];
    for (const { id } of open) {
      // A callback that got secrets a moment ago is refused; the others are sent all the same.
      const position = await redeliver(parts, id, {}, causeOf(request)).catch((error: unknown) => {
        if (error instanceof Problem) return null;
        throw error;
      });
      if (position === null) continue;
      freshness.wrote(caller.account.id, position, deliveries);
      again.push(jobIdOf(id));
    }
    return { redelivered: again.length, job_ids: again, ...(erased.length > 0 ? { erased_job_ids: erased.map(({ id }) => jobIdOf(id)) } : {}) };
  });
};
