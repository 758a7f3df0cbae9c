import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '#contracts/events/account.ts';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { idempotency, idempotencyKeyLifetimeMs } from '#libs/domain/idempotency.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { newAggregate, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { newId } from '#libs/ids/ulids.ts';
import { deriveKey, type InstallationSecret, type InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { requirePermission } from './authenticate.ts';
import { callerOf, causeOf } from './request.ts';

/** `secrets` are those of the installation. */
export type IdempotencyDependencies = { eventLog: EventLog; secrets: InstallationSecrets };

export type IdempotentOperation = {
  operation: string;
  /** The permission to get the first response again. */
  permission: Permission;
  /** The stream to which the operation with this id appends first. */
  streamOf: (id: string) => string;
  /** Runs the operation for the first time; `id` is the bare id of the new render or template. */
  run: (id: string) => Promise<unknown>;
  /** Sends the first response again; null if the operation has appended no event, `running` if it has not ended. */
  replay: (id: string) => Promise<FastifyReply | 'running' | null>;
};

const maxKeyLength = 255;
/** The age of a claim without events of its operation after which its process counts as dead. */
const abandonedClaimMs = 60_000;

const keyOf = (request: FastifyRequest): string | null => {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header === 'string' && header.length > 0 && header.length <= maxKeyLength) return header;
  throw invalidField('Idempotency-Key', `Idempotency-Key must have 1 to ${maxKeyLength} characters.`);
};

/**
 * What is kept of a body to recognise it: an HMAC of its hash. A body can have a weak password, which everyone who reads
 * the events could find with a plain hash by trying.
 */
const macOfBody = (secret: InstallationSecret, bodySha256: string): string =>
  createHmac('sha256', deriveKey(secret, 'idempotency')).update(bodySha256).digest('hex');

/** Whether the body is that of an earlier claim, which may have been recorded under an earlier secret. */
const isSameBody = ({ current, previous }: InstallationSecrets, recorded: string, bodySha256: string): boolean =>
  [current, ...previous].some((secret) => recorded === macOfBody(secret, bodySha256));

const inProgress = (): ApiError =>
  ApiError.of(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running. Try again when it has ended.',
  );

const claim = async (
  eventLog: EventLog,
  secret: InstallationSecret,
  request: FastifyRequest,
  key: string,
  operation: string,
) => {
  const cause = causeOf(request);
  const stream = streams.idempotency(
    createHash('sha256')
      .update(`${callerOf(request).account.id}\n${key}`)
      .digest('hex'),
  );
  for (let isRepeat = false; ; isRepeat = true) {
    // Most keys are new, so the first try appends without a read.
    const { history, aggregate } = isRepeat
      ? await loadAggregate(eventLog, idempotency, stream)
      : { history: [], aggregate: newAggregate(eventLog, idempotency, stream) };
    const age = history.length === 0 ? 0 : eventLog.now().getTime() - Date.parse(history.at(-1)!.metadata.occurredAt);
    const bodySha256 = request.receivedBody?.sha256 ?? '';
    const id = newId(eventLog.now());
    const command = {
      type: 'claim' as const,
      accountId: cause.accountId!,
      operation,
      bodyMac: macOfBody(secret, bodySha256),
      id,
      expired: age >= idempotencyKeyLifetimeMs,
    };
    try {
      const { events } = await aggregate.executeOnce(command, cause);
      return { aggregate, cause, age, isClaimed: events.length > 0, id, bodySha256 };
    } catch (error) {
      // The key was used before, or another request uses it now.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

/** Runs an operation once for each Idempotency-Key. A repeated key and body return the first response. @throws ApiError */
export const runOnce = async (
  { eventLog, secrets }: IdempotencyDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, permission, streamOf, run, replay }: IdempotentOperation,
): Promise<unknown> => {
  const key = keyOf(request);
  if (key === null) return run(newId(eventLog.now()));
  const { aggregate, cause, age, isClaimed, id, bodySha256 } = await claim(
    eventLog,
    secrets.current,
    request,
    key,
    operation,
  );
  const runReleasing = (id: string): Promise<unknown> =>
    run(id).catch(async (error: unknown) => {
      // An accepted operation stays accepted even if its response failed: a retry must not run it twice.
      if ((await eventLog.store.read(streamOf(id))).length === 0)
        await aggregate.execute({ type: 'release', id }, cause);
      throw error;
    });
  const held = aggregate.state;
  if (held.status !== 'CLAIMED') throw inProgress();
  if (isClaimed && held.id === id) return runReleasing(held.id);
  if (held.operation !== operation || !isSameBody(secrets, held.bodyMac, bodySha256))
    throw ApiError.of(
      'idempotency_conflict',
      'This Idempotency-Key was used with another request. Use a new key for a new request.',
    );
  requirePermission(callerOf(request), permission);
  reply.header('idempotency-replayed', 'true');
  const removeReplayHeader = (): unknown => reply.removeHeader('idempotency-replayed');
  const replayed = await replay(held.id).catch((error: unknown) => {
    removeReplayHeader();
    throw error;
  });
  if (replayed !== null && replayed !== 'running') return replayed;
  removeReplayHeader();
  // The absolute value, because the clock may have been set back since the claim.
  if (replayed === null && (isClaimed || Math.abs(age) > abandonedClaimMs)) return runReleasing(held.id);
  throw inProgress();
};
