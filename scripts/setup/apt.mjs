import { outputOf, step } from './run-command.mjs';

const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
const patient = ['-o', 'DPkg::Lock::Timeout=300'];

export const hasApt = () => outputOf('apt-get', ['--version']) !== undefined;

const isRoot = () => outputOf('id', ['-u'])?.trim() === '0';

export const mayInstall = () => isRoot() && hasApt();

const isOffered = (package_) =>
  /^ {2}Candidate: (?!\(none\))/m.test(outputOf('apt-cache', ['policy', package_], { LC_ALL: 'C' }) ?? '');

/** Fresh machines and containers come without package lists. */
export const refreshLists = () => step('List of Debian packages', 'apt-get', [...patient, 'update'], quiet);

export const firstOffered = (packages) => packages.find(isOffered);

/** True when all packages are installed afterwards. */
export const install = (title, packages) =>
  step(
    `${title} (${packages.join(', ')})`,
    'apt-get',
    [...patient, 'install', '--yes', '--no-install-recommends', ...packages],
    quiet,
  );
