import { ConnectionString } from 'mongodb-connection-string-url';
import { AddressError } from '#libs/engines/remote.ts';

/** Where a MongoDB is: `uri` as the driver takes it, the name of the database, and its hosts as they may be shown. */
export type MongoAddress = { uri: string; database: string; hosts: string };

const defaultDatabase = 'colophon';

/** In force unless the address says otherwise. In milliseconds. */
const defaultUrlOptions = {
  appName: 'colophon',
  serverSelectionTimeoutMS: '5000',
  connectTimeoutMS: '5000',
  socketTimeoutMS: '20000',
  heartbeatFrequencyMS: '2000',
};

const allowedForms =
  'mongodb://[user:password@]host[:port][,host[:port]...][/database][?options], or mongodb+srv:// with one host';

/** A password with a sign that means something in a URL is what most often makes one wrong. */
const encodingHint = 'Signs such as @ : / ? # in a user name or password stand percent-encoded';

const parse = (url: string, setting: string): ConnectionString => {
  try {
    return new ConnectionString(url.replace(/^gridfs(\+srv)?:/, 'mongodb$1:'));
  } catch {
    // What the parser says may quote the address with its password.
    throw new AddressError(`${setting} is no address of a MongoDB; allowed is ${allowedForms}. ${encodingHint}.`);
  }
};

/**
 * Reads an address of the form `mongodb://`, `mongodb+srv://`, `gridfs://` or `gridfs+srv://`.
 * @throws AddressError that names the setting and what is allowed, and never the password
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

/** The address of the blobs' database: `gridfs:` alone is that of the read models. With it comes the setting that it stands in. */
export const gridFsAddress = (blobStoreUrl: string, readStoreUrl: string): { url: string; setting: string } =>
  blobStoreUrl === 'gridfs:'
    ? { url: readStoreUrl, setting: 'READ_STORE_URL' }
    : { url: blobStoreUrl, setting: 'BLOB_STORE_URL' };
