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

/** The server is too old for the service. */
export class UnsupportedServerVersion extends Error {
  constructor(version: string) {
    super(`has version ${version}`);
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

/** Converts errors of the driver's transport to errors of the driver. */
export const asDriverError = (error: unknown): Error =>
  error instanceof Error ? convertToCommandError(error) : new Error(String(error));

/** Whether a retry of the request may succeed. */
export const isTemporary = (error: Error): boolean => !permanentErrors.some((kind) => error instanceof kind);

/**
 * Whether only a new client can reach the server again. The driver reconnects after a broken connection and follows a new
 * leader, but it does not recover from a silent server or a failed cluster discovery.
 */
export const needsNewClient = (error: Error): boolean =>
  error instanceof TimeoutError || (isTemporary(error) && !isCommandError(error));

const errorDescriptions: readonly [RegExp, (where: string) => string][] = [
  [
    /Setting the TLS ServerName to an IP address/,
    () => 'With TLS, EVENT_STORE_URL must have the host name of the server, not its IP address.',
  ],
  [
    /wrong version number|packet length too long/,
    (where) => `KurrentDB at ${where} does not use TLS: add tls=false to EVENT_STORE_URL, or enable TLS on the server.`,
  ],
  [
    /certificate|altnames|UNABLE_TO_VERIFY|SELF_SIGNED/i,
    (where) =>
      `The certificate of KurrentDB at ${where} is not trusted: set tlsCAFile in EVENT_STORE_URL to the file of its CA, ` +
      'and use the host name of the certificate.',
  ],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    (where) => `The host name of KurrentDB at ${where} cannot be resolved: check EVENT_STORE_URL.`,
  ],
  [/ECONNREFUSED/, (where) => `No server listens at ${where}, the address of KurrentDB in EVENT_STORE_URL.`],
  // A server that needs TLS and a proxy without a backend cause the same error.
  [
    /Failed to connect|ECONNRESET|disconnected before secure TLS/,
    (where) =>
      `The server at ${where} closes connections at once: check whether KurrentDB is running, ` +
      'and, if it uses TLS, remove tls=false from EVENT_STORE_URL.',
  ],
  [/Protocol error/, (where) => `The server at ${where} is not KurrentDB: check EVENT_STORE_URL.`],
  [
    /Failed to discover/,
    (where) =>
      `No member of a KurrentDB cluster responds at ${where}: check the hosts in EVENT_STORE_URL, ` +
      'and whether its tls option matches the cluster.',
  ],
];

/** One sentence for operators: why KurrentDB is not available, and which setting to check. */
export const describeKurrentDbError = (error: Error, where: string): string => {
  if (error instanceof AccessDeniedError)
    return `KurrentDB at ${where} rejected the user name or password in EVENT_STORE_URL, or the user may not append or read $all.`;
  if (error instanceof NotLeaderError)
    return (
      `No leader of KurrentDB at ${where} can be reached: ` +
      'name all members of the cluster in EVENT_STORE_URL, or use kurrentdb+discover://.'
    );
  if (error instanceof TimeoutError || error instanceof DeadlineExceededError)
    return `KurrentDB at ${where} does not respond: check the server and EVENT_STORE_URL.`;
  if (error instanceof UnsupportedServerVersion)
    return `KurrentDB at ${where} ${error.message}, but 22.6 or later is required: check EVENT_STORE_URL.`;
  const [, reason] = errorDescriptions.find(([pattern]) => pattern.test(error.message)) ?? [];
  return (
    reason?.(where) ?? `KurrentDB at ${where} is not available at the moment: check the server and EVENT_STORE_URL.`
  );
};
