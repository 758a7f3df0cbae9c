import { ConnectionString } from 'mongodb-connection-string-url';
import { AddressError } from '#libs/engines/remote.ts';

/** `uri` is for the driver, with credentials. `hosts` is for messages, without them. */
export type MongoAddress = { uri: string; database: string; hosts: string };

const defaultDatabase = 'colophon';

/** Used unless the address sets them. Times are in milliseconds. */
const defaultUrlOptions = {
  appName: 'colophon',
  serverSelectionTimeoutMS: '5000',
  connectTimeoutMS: '5000',
  socketTimeoutMS: '20000',
  heartbeatFrequencyMS: '2000',
};

const allowedForms =
  'mongodb://[user:password@]host[:port][,host[:port]...][/database][?options], or mongodb+srv:// with one host';

/** Unencoded characters in a password are the most common mistake. */
const encodingHint = 'Percent-encode characters such as @ : / ? # in a user name or password';

const parse = (url: string, setting: string): ConnectionString => {
  try {
    return new ConnectionString(url.replace(/^gridfs(\+srv)?:/, 'mongodb$1:'));
  } catch {
    // The message of the parser may contain the password.
    throw new AddressError(`${setting} is not a MongoDB address; allowed is ${allowedForms}. ${encodingHint}.`);
  }
};

/**
 * Reads an address of the form `mongodb://`, `mongodb+srv://`, `gridfs://` or `gridfs+srv://`.
 * @throws AddressError which names the setting and what is allowed, but never the password
 */
export const parseMongoAddress = (url: string, setting: string): MongoAddress => {
  const parsed = parse(url, setting);
  const options = parsed.typedSearchParams<Record<string, string>>();
  for (const [name, value] of Object.entries(defaultUrlOptions)) if (!options.has(name)) options.set(name, value);
  return {
    uri: parsed.href,
    database: decodeURIComponent(parsed.pathname.slice(1)) || defaultDatabase,
    hosts: parsed.hosts.join(', '),
  };
};

/** The address of the blob database, and the setting that contains it. `gridfs:` alone means the database of the read models. */
export const gridFsAddress = (blobStoreUrl: string, readStoreUrl: string): { url: string; setting: string } =>
  blobStoreUrl === 'gridfs:'
    ? { url: readStoreUrl, setting: 'READ_STORE_URL' }
    : { url: blobStoreUrl, setting: 'BLOB_STORE_URL' };
