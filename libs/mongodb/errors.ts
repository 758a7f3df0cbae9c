import {
  MongoBulkWriteError,
  MongoCompatibilityError,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';

const duplicateKey = 11_000;
const namespaceNotFound = 26;

/** Null if a write failed because a document with the same id or unique key exists. @throws any other error */
export const nullIfDuplicate = (error: unknown): null => {
  const isWriteError = error instanceof MongoServerError || error instanceof MongoBulkWriteError;
  if (!isWriteError || error.code !== duplicateKey) throw error;
  return null;
};

/** Whether the collection to remove does not exist. */
export const isNamespaceNotFound = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === namespaceNotFound;

const authenticationFailed = 18;
const unauthorized = 13;
const atlasAuthenticationFailed = 8000;

type ConnectionSetting = { hosts: string; setting: string };

const causesOf = (error: unknown): string[] =>
  error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
/** Errors of OpenSSL contain numbers and file names. */
const withoutSourceLocations = (text: string): string => text.replace(/\w+:error:\w+:[^:]*:[^:]*:([^:]*):.*/s, '$1');
const messagesOf = (error: unknown): string =>
  withoutPasswords([...new Set(causesOf(error).map(withoutSourceLocations))].join(': '));

/** The first error that the monitoring of a server met. */
const firstServerError = (error: MongoServerSelectionError): Error =>
  [...(error.reason?.servers.values() ?? [])].find((server) => server.error)?.error ?? error;

/** Removes credentials from addresses in an error message. */
export const withoutPasswords = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, '//***@');

const isAboutTls = (text: string): boolean =>
  /\b(ssl|tls|certificate|self-signed|altnames?|wrong version number)\b/i.test(text);

const describeSelectionError = (error: MongoServerSelectionError, { hosts, setting }: ConnectionSetting): string => {
  const cause = firstServerError(error);
  const message = messagesOf(cause);
  if (cause instanceof MongoCompatibilityError) return describeTooOldServer(message, { hosts, setting });
  if (isAboutTls(message))
    return `MongoDB at ${hosts} and the service do not agree on TLS (${message}). Check tls and tlsCAFile in ${setting}.`;
  if (cause === error && error.reason?.setName)
    return `The replica set ${error.reason.setName} at ${hosts} has no primary. Check its members, and the hosts in ${setting}.`;
  const tls = /closed|ECONNRESET|socket hang up/i.test(message)
    ? ' It closes connections at once. The server may need TLS: set tls=true.'
    : '';
  return `MongoDB at ${hosts} cannot be reached (${message}).${tls} Check ${setting}, and whether the server is running.`;
};

const describeTooOldServer = (message: string, { hosts, setting }: ConnectionSetting): string =>
  `MongoDB at ${hosts} is too old (${message}). Set ${setting} to a newer server.`;

/** Describes in one or two sentences why MongoDB is not available, and which setting to check. Contains no password. */
export const describeMongoError = (error: unknown, connection: ConnectionSetting): string => {
  const { hosts, setting } = connection;
  if (error instanceof MongoCompatibilityError) return describeTooOldServer(error.message, connection);
  if (error instanceof MongoServerSelectionError) return describeSelectionError(error, connection);
  if (
    error instanceof MongoServerError &&
    (error.code === authenticationFailed || error.code === atlasAuthenticationFailed)
  )
    return `MongoDB at ${hosts} rejected the user name or password. Check ${setting}, and its authSource.`;
  if (error instanceof MongoServerError && error.code === unauthorized)
    return (
      `MongoDB at ${hosts} does not permit an operation that the service needs (${withoutPasswords(error.message)}). ` +
      `The user in ${setting} needs the role readWrite.`
    );
  const message = messagesOf(error);
  if (error instanceof MongoError && isAboutTls(message))
    return `MongoDB at ${hosts} and the service do not agree on TLS (${message}). Check tls and tlsCAFile in ${setting}.`;
  return `MongoDB at ${hosts} is not available (${message}). Check ${setting} and the server.`;
};
