import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '#contracts/events/account.ts';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { streams } from '#contracts/names.ts';
import { idempotency, idempotencyKeyLifetimeMs } from '#libs/domain/idempotency.ts';
import { type RecordedEvent, RevisionConflict } from '#libs/event-store/port.ts';
import { newAggregate, loadRememberedAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { isFormerSecretConfigured } from '#application/installation/secret.ts';
import { newId } from '#libs/ids/ulids.ts';
import { deriveKey, type InstallationSecret, type InstallationSecrets } from '#libs/secrets/installation-secret.ts';
import { requirePermission } from './authenticate.ts';
import { callerOf, causeOf } from './request.ts';

/** `secrets` are those of the installation. */
export type IdempotencyDependencies = { eventLog: EventLog; secrets: InstallationSecrets };

export type IdempotentOperation<Context> = {
  operation: string;
  /** The permission to get the first response again. */
  permission: Permission;
  /** The stream to which the operation with this id appends first. */
  streamOf: (id: string) => string;
  /** Checks the request; has no effect. `id` is the bare id of the new render or template. @throws ApiError */
  check: (id: string) => Context;
  /** Runs the operation for the first time. A repeated request may have the id of an earlier one. */
  run: (context: Context, id: string) => Promise<unknown>;
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

/** What identifies a repeated request: the hash of its body, and its query, which changes what is done. */
const contentOf = ({ receivedBody, url }: FastifyRequest): string =>
  (receivedBody?.sha256 ?? '') + (url.includes('?') ? url.slice(url.indexOf('?')) : '');

/**
 * What is kept of a body and query to recognise them: an HMAC. A body can have a weak password, which everyone who reads
 * the events could find with a plain hash by trying.
 */
const macOf = (secret: InstallationSecret, content: string): string =>
  createHmac('sha256', deriveKey(secret, 'idempotency')).update(content).digest('hex');

/** Whether the content is that of an earlier claim, which may have been recorded under an earlier secret. */
const isSameContent = ({ current, previous }: InstallationSecrets, recorded: string, content: string): boolean =>
  [current, ...previous].some((secret) => recorded === macOf(secret, content));

/** The error of a request that is not known to be the one with this key. `claimed` is the event of one that can be it. */
const conflict = async (
  { eventLog, secrets }: IdempotencyDependencies,
  claimed: RecordedEvent | undefined,
): Promise<ApiError> => {
  const isComparable = !claimed || (await isFormerSecretConfigured(eventLog, secrets, claimed.position));
  return ApiError.of(
    'idempotency_conflict',
    isComparable
      ? 'This Idempotency-Key was used with another request. Use a new key for a new request.'
      : 'This Idempotency-Key was used before the secret of the installation was replaced, so it is not known whether ' +
          'this is the same request. Check whether the first one had an effect before you use a new key.',
  );
};

const inProgress = (): ApiError =>
  ApiError.of(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running. Try again when it has ended.',
    { retry_after: 2 },
  );

/** A request that was checked, or why it is refused. */
type Checked<Context> = { context: Context } | { refusal: unknown };

const tryCheck = <Context>(check: () => Context): Checked<Context> => {
  try {
    return { context: check() };
  } catch (refusal) {
    return { refusal };
  }
};

const contextOf = <Context>(checked: Checked<Context>): Context => {
  if ('refusal' in checked) throw checked.refusal;
  return checked.context;
};

type ClaimRequest = { key: string; id: string; operation: string; checked: Checked<unknown> };

const claim = async (
  eventLog: EventLog,
  secret: InstallationSecret,
  request: FastifyRequest,
  { key, id, operation, checked }: ClaimRequest,
) => {
  const cause = causeOf(request);
  const { account, keyType } = callerOf(request);
  // A test render is no live one: it never counts and has its own record. So it must not answer a live request.
  const stream = streams.idempotency(createHash('sha256').update(`${account.id}\n${keyType}\n${key}`).digest('hex'));
  const isRefused = 'refusal' in checked;
  for (let isRepeat = isRefused; ; isRepeat = true) {
    // Most keys are new, so the first try appends without a read.
    const { last, aggregate } = isRepeat
      ? await loadRememberedAggregate(eventLog, idempotency, stream)
      : { last: undefined, aggregate: newAggregate(eventLog, idempotency, stream) };
    const age = last === undefined ? 0 : eventLog.now().getTime() - Date.parse(last.metadata.occurredAt);
    const expired = age >= idempotencyKeyLifetimeMs;
    // A refused request claims no key, because each repetition would append events.
    if (isRefused && (aggregate.state.status === 'FREE' || expired)) throw checked.refusal;
    const content = contentOf(request);
    const command = {
      type: 'claim' as const,
      accountId: cause.accountId!,
      operation,
      bodyMac: macOf(secret, content),
      id,
      expired,
    };
    try {
      const { events } = await aggregate.executeOnce(command, cause);
      return { last, aggregate, cause, age, isClaimed: events.length > 0, content };
    } catch (error) {
      // The key was used before, or another request uses it now.
      if (!(error instanceof RevisionConflict)) throw error;
    }
  }
};

/** Runs an operation once for each Idempotency-Key. A repeated key, body and query return the first response. @throws ApiError */
export const runOnce = async <Context>(
  { eventLog, secrets }: IdempotencyDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, permission, streamOf, check, run, replay }: IdempotentOperation<Context>,
): Promise<unknown> => {
  const key = keyOf(request);
  const id = newId(eventLog.now());
  if (key === null) return run(check(id), id);
  const checked = tryCheck(() => check(id));
  const claimRequest = { key, id, operation, checked };
  const { last, aggregate, cause, age, isClaimed, content } = await claim(
    eventLog,
    secrets.current,
    request,
    claimRequest,
  );
  const runReleasing = async (id: string): Promise<unknown> => {
    try {
      return await run(contextOf(checked), id);
    } catch (error) {
      // An accepted operation stays accepted even if its response failed: a retry must not run it twice.
      if ((await eventLog.store.read(streamOf(id), 0, 1)).length === 0)
        await aggregate.execute({ type: 'release', id }, cause);
      throw error;
    }
  };
  const held = aggregate.state;
  if (held.status !== 'CLAIMED') throw inProgress();
  if (isClaimed && held.id === id) return runReleasing(held.id);
  const isSameOperation = held.operation === operation;
  if (!isSameOperation || !isSameContent(secrets, held.bodyMac, content))
    throw await conflict({ eventLog, secrets }, isSameOperation ? last : undefined);
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
