import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '#contracts/events/account.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { idempotency, idempotencyKeyLifetimeMs } from '#libs/domain/idempotency.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { newAggregate, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { requirePermission } from './authenticate.ts';
import { callerOf, causeOf } from './request.ts';

export type IdempotentOperation = {
  operation: string;
  /** What the first answer takes, whoever asks for it again. */
  permission: Permission;
  /** The stream in which the work of this id leaves its first trace. */
  streamOf: (id: string) => string;
  /** Does the work for the first time; `id` is what the render or template is to be called. */
  run: (id: string) => Promise<unknown>;
  /** Gives the first answer again; null while there is no trace of the work, `running` while it has not ended. */
  replay: (id: string) => Promise<FastifyReply | 'running' | null>;
};

const maxKeyLength = 255;
/** A claim without any trace of its work for so long is that of a process that died. */
const abandonedClaimMs = 60_000;

const keyOf = (request: FastifyRequest): string | null => {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header === 'string' && header.length > 0 && header.length <= maxKeyLength) return header;
  throw ApiError.of('invalid_request', `Idempotency-Key must have 1 to ${maxKeyLength} characters.`, {
    field: 'Idempotency-Key',
  });
};

const inProgress = (): ApiError =>
  ApiError.of(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running. Ask again when it has ended.',
  );

const claim = async (log: EventLog, request: FastifyRequest, key: string, operation: string) => {
  const cause = causeOf(request);
  const stream = streams.idempotency(
    createHash('sha256')
      .update(`${callerOf(request).account.id}\n${key}`)
      .digest('hex'),
  );
  for (let isRepeat = false; ; isRepeat = true) {
    // Most keys are new: they take an append that expects no stream, and no read before it.
    const { history, aggregate } = isRepeat
      ? await loadAggregate(log, idempotency, stream)
      : { history: [], aggregate: newAggregate(log, idempotency, stream) };
    const age = history.length === 0 ? 0 : log.now().getTime() - Date.parse(history.at(-1)!.metadata.occurredAt);
    const bodySha256 = request.receivedBody?.sha256 ?? '';
    const id = newId(log.now());
    const wish = {
      type: 'claim' as const,
      accountId: cause.accountId!,
      operation,
      bodySha256,
      id,
      expired: age >= idempotencyKeyLifetimeMs,
    };
    try {
      const { events } = await aggregate.executeOnce(wish, cause);
      return { aggregate, cause, age, isClaimed: events.length > 0, wish };
    } catch (error) {
      // The key was used before, or is used at the same moment.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

/** Does a request once for each Idempotency-Key: the same key and body again give the first answer again. @throws Problem */
export const runOnce = async (
  log: EventLog,
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: IdempotentOperation,
): Promise<unknown> => {
  const { operation, permission, streamOf, run, replay } = attempt;
  const key = keyOf(request);
  if (key === null) return run(newId(log.now()));
  const { aggregate, cause, age, isClaimed, wish } = await claim(log, request, key, operation);
  const runReleasing = (id: string): Promise<unknown> =>
    run(id).catch(async (error: unknown) => {
      // What was accepted stays accepted, even where its answer went wrong: a second try must not do it twice.
      if ((await log.store.read(streamOf(id))).length === 0) await aggregate.execute({ type: 'release', id }, cause);
      throw error;
    });
  const held = aggregate.state;
  if (held.status !== 'CLAIMED') throw inProgress();
  if (isClaimed && held.id === wish.id) return runReleasing(held.id);
  if (held.operation !== operation || held.bodySha256 !== wish.bodySha256)
    throw ApiError.of(
      'idempotency_conflict',
      'This Idempotency-Key was used with another request. Take a new key for a new request.',
    );
  requirePermission(callerOf(request), permission);
  reply.header('idempotency-replayed', 'true');
  const notReplayed = (): unknown => reply.removeHeader('idempotency-replayed');
  const replayed = await replay(held.id).catch((error: unknown) => {
    notReplayed();
    throw error;
  });
  if (replayed !== null && replayed !== 'running') return replayed;
  notReplayed();
  // A claim from further in the future is that of a clock that was set back since.
  if (replayed === null && (isClaimed || Math.abs(age) > abandonedClaimMs)) return runReleasing(held.id);
  throw inProgress();
};
