import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '#contracts/http/api-error.ts';
import { createCountsByKey } from '#libs/concurrency/counts-by-key.ts';
import { bytesPerMb } from '#libs/sizes/sizes.ts';

/** Limits the memory of the bodies that an account is sending, and of the responses that it is reading. */
export type Transfers = {
  /** Counts the bytes until the returned function is called. @throws ApiError transfers_too_large */
  begin(accountId: string, bytes: number): () => void;
  /** Counts the bytes of a response before it is made, until it is sent. @throws ApiError transfers_too_large */
  beginResponse(reply: FastifyReply, accountId: string, bytes: number): void;
};

export type TransferLimits = {
  maxMbPerAccount: number;
  /** How long a reader may take nothing of a response, in milliseconds. */
  stalledMs: number;
};

const defaultLimits: TransferLimits = { maxMbPerAccount: 256, stalledMs: 30_000 };
/** The operating system buffers more than this for a connection. */
const uncountedBytes = 64 * 1024;
const retryAfterSeconds = 5;

/** Counts large responses of the app, and ends the connections whose readers take nothing of them. */
export const limitTransfers = (app: FastifyInstance, limits = defaultLimits): Transfers => {
  const { maxMbPerAccount, stalledMs } = limits;
  const bytesOf = createCountsByKey();
  const counted = new WeakSet<ServerResponse>();
  const requireRoom = (accountId: string, bytes: number): void => {
    const others = bytesOf.of(accountId);
    // A single transfer of any size is allowed. Its size has limits of its own.
    if (others === 0 || bytes <= uncountedBytes || others + bytes <= maxMbPerAccount * bytesPerMb) return;
    throw ApiError.of(
      'transfers_too_large',
      `The requests and unread responses of the account would have more than ${maxMbPerAccount} MB at once. Read the ` +
        'responses, or send fewer large requests at once.',
      { max_mb: maxMbPerAccount, retry_after: retryAfterSeconds },
    );
  };
  const begin = (accountId: string, bytes: number): (() => void) => {
    requireRoom(accountId, bytes);
    if (bytes <= uncountedBytes) return () => undefined;
    bytesOf.change(accountId, bytes);
    return () => bytesOf.change(accountId, -bytes);
  };
  const beginResponse = ({ raw }: FastifyReply, accountId: string, bytes: number): void => {
    // There is no close event if the caller has disconnected before.
    if (raw.closed) return;
    raw.once('close', begin(accountId, bytes));
    counted.add(raw);
  };
  app.addHook('onSend', async ({ caller }, reply, payload) => {
    const { raw } = reply;
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0;
    if (bytes <= uncountedBytes || raw.closed) return payload;
    if (caller !== null && !counted.has(raw)) beginResponse(reply, caller.account.id, bytes);
    raw.setTimeout(stalledMs, () => raw.destroy());
    // Before Node gives the connection to the next pipelined request.
    raw.prependOnceListener('finish', () => raw.setTimeout(0, () => undefined));
    return payload;
  });
  return { begin, beginResponse };
};
