import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '#libs/config/settings.ts';
import type { Places } from './places.ts';

/** The user that this process is, and the groups that it is in. */
export type Identity = { uid: number; gids: readonly number[] };

/** Paths that were open to other users: `closed` are no longer, `left` could not or must not be changed. */
export type Closing = { closed: string[]; left: string[] };

const thisProcess = (): Identity => ({ uid: process.geteuid!(), gids: [process.getegid!(), ...process.getgroups!()] });

const ofOthers = 0o077;
const [writableByAll, sticky] = [0o002, 0o1000];

/** What the service itself puts into its folders, with what a file system or a person may have left there for its own sake. */
const ownNames = /^(?:(?:log|bus|read-models|limits|small)\.db.*|blobs|incoming|[0-9a-f]{2}|secret\.key.*|lost\+found|\..*)$/;

const isOpen = ({ mode }: Stats): boolean => (mode & ofOthers) !== 0;
const modeOf = ({ mode }: Stats): string => `0${(mode & 0o7777).toString(8)}`;

const refusal = (path: string, stats: Stats): SettingsError =>
  new SettingsError(
    `${path} can be read or changed by other users of this machine (mode ${modeOf(stats)}), and this process may not change that. Run "chmod go= ${path}" as its owner, or give Colophon a folder of its own in COLOPHON_DATA_DIR.`,
  );

const shared = (path: string, stats: Stats): SettingsError =>
  new SettingsError(`${path} is a folder that all users of this machine write to (mode ${modeOf(stats)}). Give Colophon a folder of its own in COLOPHON_DATA_DIR.`);

/** Files of databases come and go while another process of the service works with them. */
const unlessGone = <T>(look: () => T): T | null => {
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
export const closePlaces = ({ folders, files }: Places, { uid, gids }: Identity = thisProcess()): Closing => {
  const closing: Closing = { closed: [], left: [] };
  const mayChange = (stats: Stats): boolean => uid === 0 || stats.uid === uid;
  const isOfOwnGroup = (stats: Stats): boolean => gids.includes(stats.gid);

  const close = (path: string, stats: Stats): void => {
    unlessGone(() => chmodSync(path, stats.mode & 0o700));
    closing.closed.push(path);
  };

  const closeEntry = (path: string): void => {
    const stats = unlessGone(() => lstatSync(path));
    const target = unlessGone(() => statSync(path));
    if (!stats || !target || !isOpen(target)) return;
    if (stats.isSymbolicLink()) closing.left.push(path);
    else if (mayChange(stats)) close(path, stats);
    else if (isOfOwnGroup(stats)) closing.left.push(path);
    else throw refusal(path, stats);
  };

  const closeFolder = (given: string): void => {
    const folder = unlessGone(() => realpathSync(given));
    if (folder === null) return;
    const stats = statSync(folder);
    const names = readdirSync(folder);
    const own = names.filter((name) => ownNames.test(name));
    if (isOpen(stats)) {
      const isAllOurs = own.length === names.length && (stats.mode & sticky) === 0;
      if (isAllOurs) closeEntry(folder);
      else if ((stats.mode & writableByAll) !== 0 && (mayChange(stats) || !isOfOwnGroup(stats))) throw shared(folder, stats);
      else closing.left.push(folder);
    }
    for (const name of own.filter((one) => !one.startsWith('.') && one !== 'lost+found')) closeEntry(join(folder, name));
  };

  for (const folder of folders) closeFolder(folder);
  for (const file of files) closeEntry(file);
  return closing;
};
