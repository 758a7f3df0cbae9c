import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SettingsError } from '#libs/config/settings.ts';
import { isDatabaseFile } from '#libs/sqlite/database-file.ts';
import { embeddedPathsOf, type EngineUrls } from './engine-selection.ts';

/** Folders and SQLite files in which the service stores data. The files may be in folders of other owners. */
export type StoredPaths = { folders: string[]; databases: string[] };

/** `hasOwnSecret`: the secret of the installation is in the data folder, too. */
export const storedPathsOf = (urls: EngineUrls, hasOwnSecret: boolean): StoredPaths => {
  const { databases, blobFolders } = embeddedPathsOf(urls);
  const dataDir = resolve(urls.dataDir);
  const usesDataDir =
    hasOwnSecret || [...databases, ...blobFolders].some((path) => path.startsWith(join(dataDir, '/')));
  return {
    folders: [...(usesDataDir ? [dataDir] : []), ...blobFolders],
    databases,
  };
};

/** The user and the groups of this process. */
export type UserIdentity = { uid: number; gids: readonly number[] };

/** Paths that other users could access: `restricted` were changed, `unchanged` could not or must not be changed. */
export type RestrictPermissionsResult = { restricted: string[]; unchanged: string[] };

const currentUser = (): UserIdentity => ({
  uid: process.geteuid!(),
  gids: [process.getegid!(), ...process.getgroups!()],
});

const groupAndOthersMode = 0o077;
const [writableByAll, sticky] = [0o002, 0o1000];

/** Names that the service creates in its folders, and names of file systems and hidden files. */
const ownNamePattern =
  /^(?:(?:log|read-models)\.db.*|blobs|incoming|installation-id|[0-9a-f]{2}|secret\.key.*|lost\+found|\..*)$/;

const isAccessibleToOthers = ({ mode }: Stats): boolean => (mode & groupAndOthersMode) !== 0;
const modeOf = ({ mode }: Stats): string => `0${(mode & 0o7777).toString(8)}`;

const notOwnerError = (path: string, stats: Stats): SettingsError =>
  new SettingsError(
    `Other users of this machine can read or change ${path} (mode ${modeOf(stats)}), and this process may not change that. ` +
      `Run "chmod go= ${path}" as its owner, or set COLOPHON_DATA_DIR to a folder for Colophon only.`,
  );

const sharedFolderError = (path: string, stats: Stats): SettingsError =>
  new SettingsError(
    `${path} is a folder that all users of this machine can write to (mode ${modeOf(stats)}). ` +
      'Set COLOPHON_DATA_DIR to a folder for Colophon only.',
  );

/** Another process of the service may create and delete database files at any time. */
const nullIfNotFound = <T>(run: () => T): T | null => {
  try {
    return run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/**
 * Removes the permissions of group and others from existing folders and files of the service. Unchanged are paths of other
 * owners that belong to a group of this process, because an orchestrator provides such folders, and folders that also
 * contain other files. Links in folders are not followed, because another user may have created them.
 * @throws SettingsError if other users can read or change stored data
 */
export const restrictPermissions = (
  { folders, databases }: StoredPaths,
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
    const ownNames = names.filter((name) => ownNamePattern.test(name));
    if (isAccessibleToOthers(stats)) {
      const isAllOurs = ownNames.length === names.length && (stats.mode & sticky) === 0;
      if (isAllOurs) restrictEntry(folder);
      else if ((stats.mode & writableByAll) !== 0 && (mayChange(stats) || !isOfOwnGroup(stats)))
        throw sharedFolderError(folder, stats);
      else result.unchanged.push(folder);
    }
    for (const name of ownNames.filter((each) => !each.startsWith('.') && each !== 'lost+found'))
      restrictEntry(join(folder, name));
  };

  for (const folder of folders) restrictFolder(folder);
  // A setting can name a file of another program by mistake.
  for (const file of databases.filter(isDatabaseFile))
    for (const path of [file, `${file}-wal`, `${file}-shm`]) restrictEntry(path);
  return result;
};
