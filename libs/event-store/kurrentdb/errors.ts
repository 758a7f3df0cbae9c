import {
  AccessDeniedError,
  convertToCommandError,
  DeadlineExceededError,
  InvalidArgumentError,
  InvalidTransactionError,
  isCommandError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@kurrent/kurrentdb-client';
import { TimeoutError } from '#libs/concurrency/timeout.ts';

/** The server is older than what the service needs. */
export class UnsupportedServerVersion extends Error {
  constructor(version: string) {
    super(`is of version ${version}`);
    this.name = 'UnsupportedServerVersion';
  }
}

const permanentErrors = [
  AccessDeniedError,
  InvalidArgumentError,
  InvalidTransactionError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
  TypeError,
  RangeError,
];

/** The error in the driver's own kinds, whether it comes from there or from the transport below. */
export const asDriverError = (error: unknown): Error =>
  error instanceof Error ? convertToCommandError(error) : new Error(String(error));

/** Whether the same request may succeed a moment later. */
export const isTemporary = (error: Error): boolean => !permanentErrors.some((kind) => error instanceof kind);

/**
 * Whether only a new client finds the server again. The driver itself connects again after a broken connection and follows another leader,
 * but it notices neither silence nor that it could not discover the cluster.
 */
export const needsNewClient = (error: Error): boolean =>
  error instanceof TimeoutError || (isTemporary(error) && !isCommandError(error));

const errorDescriptions: readonly [RegExp, (where: string) => string][] = [
  [
    /Setting the TLS ServerName to an IP address/,
    () => 'With TLS, the server in EVENT_STORE_URL has to be named by its host name, not by an IP address.',
  ],
  [
    /wrong version number|packet length too long/,
    (where) => `KurrentDB at ${where} speaks no TLS: add tls=false to EVENT_STORE_URL, or switch TLS on there.`,
  ],
  [
    /certificate|altnames|UNABLE_TO_VERIFY|SELF_SIGNED/i,
    (where) =>
      `The certificate of KurrentDB at ${where} is not trusted: name the file of its authority as tlsCAFile in EVENT_STORE_URL, and the host as the certificate does.`,
  ],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    (where) => `The host name of KurrentDB at ${where} cannot be resolved: look at EVENT_STORE_URL.`,
  ],
  [/ECONNREFUSED/, (where) => `Nothing listens at ${where}, where EVENT_STORE_URL looks for KurrentDB.`],
  // A server that wants TLS and a proxy with nothing behind it look the same from here.
  [
    /Failed to connect|ECONNRESET|disconnected before secure TLS/,
    (where) =>
      `What listens at ${where} hangs up at once: look whether the KurrentDB behind it is up, and, if it speaks TLS, remove tls=false from EVENT_STORE_URL.`,
  ],
  [/Protocol error/, (where) => `What answers at ${where} is no KurrentDB: look at EVENT_STORE_URL.`],
  [
    /Failed to discover/,
    (where) =>
      `No member of a KurrentDB cluster answers at ${where}: look at the hosts in EVENT_STORE_URL, and at tls, which has to be as the cluster has it.`,
  ],
];

/** One sentence for operators on why KurrentDB does not serve, and which setting to look at. */
export const describeKurrentDbError = (error: Error, where: string): string => {
  if (error instanceof AccessDeniedError)
    return `KurrentDB at ${where} refuses the user name or the password in EVENT_STORE_URL, or that user may not read all and append.`;
  if (error instanceof NotLeaderError)
    return `KurrentDB at ${where} has no leader that could be reached: name all members of the cluster in EVENT_STORE_URL, or use kurrentdb+discover://.`;
  if (error instanceof TimeoutError || error instanceof DeadlineExceededError)
    return `KurrentDB at ${where} does not answer: look there, and at EVENT_STORE_URL.`;
  if (error instanceof UnsupportedServerVersion)
    return `KurrentDB at ${where} ${error.message}, but 22.6 or a later one is needed: look at EVENT_STORE_URL.`;
  const [, reason] = errorDescriptions.find(([pattern]) => pattern.test(error.message)) ?? [];
  return reason?.(where) ?? `KurrentDB at ${where} cannot be used at the moment: look there, and at EVENT_STORE_URL.`;
};
