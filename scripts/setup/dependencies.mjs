import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../libs/config/find-browser.mjs';
import { ensureNodeLibraries } from './node-libraries.mjs';
import { runStep } from './run-command.mjs';
import { SetupError } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const minNodeVersion = 24;

const readPackages = (file) => {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/**
 * Compares the lock file with the record that npm writes to node_modules at the end of an installation.
 * This also accepts a developer's own `npm install`, which a stamp file of ours would not.
 */
export const isInstalled = (wanted, installed) =>
  Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional || entry.link) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });

// `npm ci` refuses a lock file that lacks packages for other systems, and some registries do not have those packages.
// `isComplete` checks afterwards that the locked versions are installed.
const installArguments = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

// npm chooses versions and runs install scripts with its own Node, so it must run on the Node of the service.
export const installCommand = (runningNode, wantedNode) =>
  Number.parseInt(runningNode, 10) >= minNodeVersion
    ? ['npm', installArguments]
    : [
        'npx',
        [
          '--yes',
          '--loglevel=error',
          '--package',
          `node@${wantedNode}`,
          '--package',
          'npm@11',
          '--',
          'npm',
          ...installArguments,
        ],
      ];

const isComplete = (wanted) => {
  const installed = readPackages('node_modules/.package-lock.json');
  return (
    installed !== undefined && isInstalled(wanted, installed) && isExecutable(join(root, 'node_modules/.bin/node'))
  );
};

export const ensureDependencies = () => {
  const wanted = readPackages('package-lock.json');
  if (wanted === undefined)
    throw new SetupError('package-lock.json is missing or unreadable: check out the repository again.');
  if (isComplete(wanted)) return;
  ensureNodeLibraries();
  const [command, args] = installCommand(process.versions.node, wanted['node_modules/node'].version);
  if (!runStep('Dependencies', command, args, {}, root))
    throw new SetupError(
      'The dependencies could not be installed; the reason is above. The npm registry must be reachable.',
    );
  if (!isComplete(wanted))
    throw new SetupError(
      'npm installed other packages than package-lock.json names. Remove node_modules and try again.',
    );
};
