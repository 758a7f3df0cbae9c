import {
  MongoBulkWriteError,
  MongoCompatibilityError,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';

const duplicateKey = 11_000;
const namespaceNotFound = 26;

/** Whether a write met a document with the same id or unique key. */
export const isDuplicateKey = (error: unknown): boolean =>
  (error instanceof MongoServerError || error instanceof MongoBulkWriteError) && error.code === duplicateKey;

/** Null for a write that met a document with the same id or unique key. @throws any other error */
export const nullIfDuplicate = (error: unknown): null => {
  if (!isDuplicateKey(error)) throw error;
  return null;
};

/** Whether what was to be removed was not there. */
export const isNamespaceNotFound = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === namespaceNotFound;

const authenticationFailed = 18;
const unauthorized = 13;
const atlasRefusal = 8000;

type ConnectionSetting = { hosts: string; setting: string };

const causesOf = (error: unknown): string[] =>
  error instanceof Error ? [error.message, ...causesOf(error.cause)] : [];
/** What OpenSSL says comes with numbers and file names. */
const withoutSourceLocations = (text: string): string => text.replace(/\w+:error:\w+:[^:]*:[^:]*:([^:]*):.*/s, '$1');
const messagesOf = (error: unknown): string =>
  withoutPasswords([...new Set(causesOf(error).map(withoutSourceLocations))].join(': '));

/** Of what the monitoring of each server has met, the first. */
const firstServerError = (error: MongoServerSelectionError): Error =>
  [...(error.reason?.servers.values() ?? [])].find((server) => server.error)?.error ?? error;

/** What the driver says, without the passwords of addresses that it quotes. */
export const withoutPasswords = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, '//***@');

const isAboutTls = (text: string): boolean =>
  /\b(ssl|tls|certificate|self-signed|altnames?|wrong version number)\b/i.test(text);
const isConnectionClosed = (text: string): boolean => /closed|ECONNRESET|socket hang up/i.test(text);

const describeSelectionError = (error: MongoServerSelectionError, { hosts, setting }: ConnectionSetting): string => {
  const cause = firstServerError(error);
  const said = messagesOf(cause);
  if (cause instanceof MongoCompatibilityError) return describeTooOldServer(said, { hosts, setting });
  if (isAboutTls(said))
    return `MongoDB at ${hosts} and the service do not agree on TLS (${said}). Look at tls and tlsCAFile in ${setting}.`;
  if (cause === error && error.reason?.setName)
    return `The replica set ${error.reason.setName} at ${hosts} has no primary at present. Look at its members, and at the hosts in ${setting}.`;
  const tls = isConnectionClosed(said)
    ? ' It hangs up at once, as a server does that wants TLS where tls=true is not set.'
    : '';
  return `MongoDB at ${hosts} cannot be reached (${said}).${tls} Look at ${setting}, and whether the server is up.`;
};

const describeTooOldServer = (said: string, { hosts, setting }: ConnectionSetting): string =>
  `MongoDB at ${hosts} is of too old a version (${said}). Name a newer server in ${setting}.`;

/** One sentence or two on why a MongoDB does not serve, and which setting to look at. Passwords are never in it. */
export const describeMongoError = (error: unknown, place: ConnectionSetting): string => {
  const { hosts, setting } = place;
  if (error instanceof MongoCompatibilityError) return describeTooOldServer(error.message, place);
  if (error instanceof MongoServerSelectionError) return describeSelectionError(error, place);
  if (error instanceof MongoServerError && (error.code === authenticationFailed || error.code === atlasRefusal))
    return `MongoDB at ${hosts} refuses the user name or password. Look at ${setting}, and at authSource in it.`;
  if (error instanceof MongoServerError && error.code === unauthorized)
    return `MongoDB at ${hosts} does not let this user do what the service has to (${withoutPasswords(error.message)}). The user in ${setting} needs the role readWrite.`;
  const said = messagesOf(error);
  if (error instanceof MongoError && isAboutTls(said))
    return `MongoDB at ${hosts} and the service do not agree on TLS (${said}). Look at tls and tlsCAFile in ${setting}.`;
  return `MongoDB at ${hosts} does not serve (${said}). Look at ${setting}, and at the server.`;
};
