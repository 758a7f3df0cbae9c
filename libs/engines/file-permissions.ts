import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '#libs/config/settings.ts';
import { type EngineUrls, pathOf } from './engine-selection.ts';

/** Folders and files of this machine that the service stores things in. The files may lie in folders of other owners. */
export type StoredPaths = { folders: string[]; files: string[] };

/** `hasOwnSecret` tells that the secret of the installation is kept in the data folder, too. */
export const storedPathsOf = (urls: EngineUrls, hasOwnSecret: boolean): StoredPaths => {
  const { dataDir, eventStoreUrl, readStoreUrl, blobStoreUrl } = urls;
  const named = [
    [eventStoreUrl, 'log.db'],
    [readStoreUrl, 'read-models.db'],
  ] as const;
  const databases = named.flatMap(([url, name]) => (url.startsWith('sqlite:') ? [pathOf(url, dataDir, name)] : []));
  const blobs = blobStoreUrl.startsWith('file:') ? [pathOf(blobStoreUrl, dataDir, 'blobs')] : [];
  // The counts of limits lie in the data folder wherever read models are in a file.
  const usesDataDir =
    hasOwnSecret ||
    readStoreUrl.startsWith('sqlite:') ||
    [...databases, ...blobs].some((path) => path.startsWith(join(dataDir, '/')));
  return {
    folders: [...(usesDataDir ? [dataDir] : []), ...blobs],
    files: databases.flatMap((path) => [path, `${path}-wal`, `${path}-shm`]),
  };
};

/** The user that this process is, and the groups that it is in. */
export type UserIdentity = { uid: number; gids: readonly number[] };

/** Paths that were open to other users: `restricted` are no longer, `left` could not or must not be changed. */
export type RestrictPermissionsResult = { restricted: string[]; unchanged: string[] };

const currentUser = (): UserIdentity => ({
  uid: process.geteuid!(),
  gids: [process.getegid!(), ...process.getgroups!()],
});

const groupAndOthersMode = 0o077;
const [writableByAll, sticky] = [0o002, 0o1000];

/** What the service itself puts into its folders, with what a file system or a person may have left there for its own sake. */
const ownNamePattern =
  /^(?:(?:log|read-models|limits|small)\.db.*|blobs|incoming|[0-9a-f]{2}|secret\.key.*|lost\+found|\..*)$/;

const isAccessibleToOthers = ({ mode }: Stats): boolean => (mode & groupAndOthersMode) !== 0;
const modeOf = ({ mode }: Stats): string => `0${(mode & 0o7777).toString(8)}`;

const notOwnerError = (path: string, stats: Stats): SettingsError =>
  new SettingsError(
    `${path} can be read or changed by other users of this machine (mode ${modeOf(stats)}), and this process may not change that. Run "chmod go= ${path}" as its owner, or give Colophon a folder of its own in COLOPHON_DATA_DIR.`,
  );

const sharedFolderError = (path: string, stats: Stats): SettingsError =>
  new SettingsError(
    `${path} is a folder that all users of this machine write to (mode ${modeOf(stats)}). Give Colophon a folder of its own in COLOPHON_DATA_DIR.`,
  );

/** Files of databases come and go while another process of the service works with them. */
const nullIfNotFound = <T>(look: () => T): T | null => {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/**
 * Takes the permissions of group and others from the folders and files that the service keeps, as far as they are there. What an orchestrator gave to this process by one of
 * its groups is left as it is where it belongs to somebody else, and so is a folder that holds other things, too. Links within folders are not followed: somebody else may have put them there.
 * @throws SettingsError where other users could read or change what the service keeps
 */
export const restrictPermissions = (
  { folders, files }: StoredPaths,
  { uid, gids }: UserIdentity = currentUser(),
): RestrictPermissionsResult => {
  const result: RestrictPermissionsResult = { restricted: [], unchanged: [] };
  const mayChange = (stats: Stats): boolean => uid === 0 || stats.uid === uid;
  const isOfOwnGroup = (stats: Stats): boolean => gids.includes(stats.gid);

  const restrict = (path: string, stats: Stats): void => {
    nullIfNotFound(() => chmodSync(path, stats.mode & 0o700));
    result.restricted.push(path);
  };

  const restrictEntry = (path: string): void => {
    const stats = nullIfNotFound(() => lstatSync(path));
    const target = nullIfNotFound(() => statSync(path));
    if (!stats || !target || !isAccessibleToOthers(target)) return;
    if (stats.isSymbolicLink()) result.unchanged.push(path);
    else if (mayChange(stats)) restrict(path, stats);
    else if (isOfOwnGroup(stats)) result.unchanged.push(path);
    else throw notOwnerError(path, stats);
  };

  const restrictFolder = (given: string): void => {
    const folder = nullIfNotFound(() => realpathSync(given));
    if (folder === null) return;
    const stats = statSync(folder);
    const names = readdirSync(folder);
    const own = names.filter((name) => ownNamePattern.test(name));
    if (isAccessibleToOthers(stats)) {
      const isAllOurs = own.length === names.length && (stats.mode & sticky) === 0;
      if (isAllOurs) restrictEntry(folder);
      else if ((stats.mode & writableByAll) !== 0 && (mayChange(stats) || !isOfOwnGroup(stats)))
        throw sharedFolderError(folder, stats);
      else result.unchanged.push(folder);
    }
    for (const name of own.filter((one) => !one.startsWith('.') && one !== 'lost+found'))
      restrictEntry(join(folder, name));
  };

  for (const folder of folders) restrictFolder(folder);
  for (const file of files) restrictEntry(file);
  return result;
};
