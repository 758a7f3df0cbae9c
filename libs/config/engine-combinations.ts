/** The addresses that decide which processes can work together. */
export type EngineUrlSettings = { eventStoreUrl: string; busUrl: string; readStoreUrl: string; blobStoreUrl: string };

const variableNames = { eventStoreUrl: 'EVENT_STORE_URL', busUrl: 'BUS_URL', readStoreUrl: 'READ_STORE_URL' } as const;

/** Whether it names an embedded engine. */
const isEmbedded = (url: string): boolean => url.startsWith('sqlite:') || url.startsWith('memory:');

const gridFsWithoutServer =
  'BLOB_STORE_URL is gridfs: without a host, which means the MongoDB of READ_STORE_URL, but READ_STORE_URL names a file; allowed is gridfs://host/database, or file:.';

const joinNames = (names: readonly string[]): string => names.join(' and ');

/**
 * What is wrong with the addresses together; empty where nothing is. Event log, bus and read models are shared by the same processes: where one of them is a file of each machine,
 * work that one process has accepted is never seen by another.
 */
export const findCombinationProblems = (addresses: EngineUrlSettings): string[] => {
  const names = Object.keys(variableNames) as (keyof typeof variableNames)[];
  const files = names.filter((name) => isEmbedded(addresses[name])).map((name) => variableNames[name]);
  const servers = names.filter((name) => !isEmbedded(addresses[name])).map((name) => variableNames[name]);
  if (files.length === 0 || servers.length === 0)
    return isEmbedded(addresses.readStoreUrl) && addresses.blobStoreUrl === 'gridfs:' ? [gridFsWithoutServer] : [];
  return [
    `${joinNames(servers)} ${servers.length === 1 ? 'names a server' : 'name servers'}, but ${joinNames(files)} ${files.length === 1 ? 'names a file' : 'name files'} of this machine, so that processes could not share all of them and work would be lost; ` +
      'allowed is sqlite:, memory: and sqlite:, or kurrentdb://, nats:// and mongodb://.',
  ];
};

/** Which processes can work together on these engines, in one sentence for the operator. */
export const describeProcessSharing = ({ eventStoreUrl, blobStoreUrl }: EngineUrlSettings): string => {
  if (isEmbedded(eventStoreUrl))
    return 'The engines are embedded: they serve this one process and the commands of colophon beside it. With servers in EVENT_STORE_URL, BUS_URL and READ_STORE_URL, any number of processes may run.';
  if (blobStoreUrl.startsWith('file:'))
    return 'The engines are servers, but the blobs lie in a folder (BLOB_STORE_URL): only processes of this machine with the same folder may run beside this one. With gridfs: in BLOB_STORE_URL, processes on other machines may, too.';
  return 'The engines are servers: any number of processes on any machines may run beside this one.';
};

/**
 * What is wrong with a process that has some of the roles, on embedded engines: they serve one process. Null where nothing is.
 * `named` are the roles as they were asked for.
 */
export const findRoleProblem = ({ eventStoreUrl }: EngineUrlSettings, named: readonly string[]): string | null =>
  isEmbedded(eventStoreUrl)
    ? `"colophon start ${named.join(' ')}" needs engines that processes can share, but the embedded engines serve one process. Run "colophon start", which has all roles, or name servers in EVENT_STORE_URL, BUS_URL and READ_STORE_URL.`
    : null;
