import { commandOutput, runStep } from './run-command.mjs';

const nonInteractive = { DEBIAN_FRONTEND: 'noninteractive' };
const lockTimeout = ['-o', 'DPkg::Lock::Timeout=300'];

export const hasApt = () => commandOutput('apt-get', ['--version']) !== undefined;

const isRoot = () => commandOutput('id', ['-u'])?.trim() === '0';

export const canInstall = () => isRoot() && hasApt();

const isAvailable = (packageName) =>
  /^ {2}Candidate: (?!\(none\))/m.test(commandOutput('apt-cache', ['policy', packageName], { LC_ALL: 'C' }) ?? '');

// New machines and containers have no package lists.
export const updatePackageLists = () =>
  runStep('List of Debian packages', 'apt-get', [...lockTimeout, 'update'], nonInteractive);

export const firstAvailable = (packages) => packages.find(isAvailable);

/** apt-get installs nothing at all if one of the packages does not exist. */
export const allAvailable = (packages) => packages.filter(isAvailable);

/** True when all packages are installed afterwards. */
export const installPackages = (title, packages) =>
  runStep(
    `${title} (${packages.join(', ')})`,
    'apt-get',
    [...lockTimeout, 'install', '--yes', '--no-install-recommends', ...packages],
    nonInteractive,
  );
