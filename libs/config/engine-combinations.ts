/** The engine URLs, which decide which processes can work together. */
export type EngineUrlSettings = { eventStoreUrl: string; busUrl: string; readStoreUrl: string; blobStoreUrl: string };

const variableNames = { eventStoreUrl: 'EVENT_STORE_URL', busUrl: 'BUS_URL', readStoreUrl: 'READ_STORE_URL' } as const;

const isEmbedded = (url: string): boolean => url.startsWith('sqlite:') || url.startsWith('memory:');

const gridFsWithoutServer =
  'BLOB_STORE_URL is gridfs: without a host, which means the MongoDB of READ_STORE_URL, but READ_STORE_URL names a file; ' +
  'allowed is gridfs://host/database, or file:.';

const joinNames = (names: readonly string[]): string => names.join(' and ');

/**
 * Finds engine URLs that do not fit together. Event log, bus and read models must be shared by the same processes:
 * if one of them is a file on each machine, the other processes never see work that one process accepted.
 */
export const findCombinationProblems = (urls: EngineUrlSettings): string[] => {
  const names = Object.keys(variableNames) as (keyof typeof variableNames)[];
  const files = names.filter((name) => isEmbedded(urls[name])).map((name) => variableNames[name]);
  const servers = names.filter((name) => !isEmbedded(urls[name])).map((name) => variableNames[name]);
  if (files.length === 0 || servers.length === 0)
    return isEmbedded(urls.readStoreUrl) && urls.blobStoreUrl === 'gridfs:' ? [gridFsWithoutServer] : [];
  return [
    `${joinNames(servers)} ${servers.length === 1 ? 'names a server' : 'name servers'}, but ` +
      `${joinNames(files)} ${files.length === 1 ? 'names a file' : 'name files'} of this machine, ` +
      'so processes cannot share all of them and work would be lost; ' +
      'allowed is sqlite:, memory: and sqlite:, or kurrentdb://, nats:// and mongodb://.',
  ];
};

/** Tells the operator which processes can work together on these engines. */
export const describeProcessSharing = ({ eventStoreUrl, blobStoreUrl }: EngineUrlSettings): string => {
  if (isEmbedded(eventStoreUrl))
    return (
      'The engines are embedded: only this one process and the colophon commands can use them. ' +
      'To run more processes, set EVENT_STORE_URL, BUS_URL and READ_STORE_URL to servers.'
    );
  if (blobStoreUrl.startsWith('file:'))
    return (
      'The engines are servers, but the blobs are in a folder (BLOB_STORE_URL): only processes on this machine with the ' +
      'same folder can run with this one. To run processes on other machines, set BLOB_STORE_URL to gridfs:.'
    );
  return 'The engines are servers: any number of processes on any machines can run.';
};

/**
 * Embedded engines serve one process, so it must have all roles. Returns the error message, or null.
 * `namedRoles` are the roles in the command.
 */
export const findRoleProblem = ({ eventStoreUrl }: EngineUrlSettings, namedRoles: readonly string[]): string | null =>
  isEmbedded(eventStoreUrl)
    ? `"colophon start ${namedRoles.join(' ')}" needs engines that processes can share, but the embedded engines serve one ` +
      'process. Run "colophon start", which has all roles, or name servers in EVENT_STORE_URL, BUS_URL and READ_STORE_URL.'
    : null;
