import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../libs/config/find-browser.mjs';
import { ensureNodeLibraries } from './node-libraries.mjs';
import { step } from './run-command.mjs';
import { Remedy } from './output.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const oldestNode = 24;

const packagesIn = (file) => {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/**
 * npm leaves in node_modules a record of what it installed, as the last thing it does. Comparing it with the lock file
 * also accepts what a developer's own `npm install` brought, which a stamp of ours would not know of.
 */
export const isInstalled = (wanted, installed) =>
  Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional || entry.link) return true;
    const found = installed[path];
    return found !== undefined && found.version === entry.version && found.integrity === entry.integrity;
  });

// Not `npm ci`: it refuses a lock file without the packages for other systems, which is what a registry that has not got them leads to.
// What is locked is installed as locked all the same; that it was, is compared afterwards.
const install = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

// npm prefers library versions, and runs install scripts, by the Node that it runs on itself; so it runs on the one that the service will have.
export const installer = (runningNode, wantedNode) =>
  Number.parseInt(runningNode, 10) >= oldestNode
    ? ['npm', install]
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
          ...install,
        ],
      ];

const isComplete = (wanted) => {
  const installed = packagesIn('node_modules/.package-lock.json');
  return (
    installed !== undefined && isInstalled(wanted, installed) && isExecutable(join(root, 'node_modules/.bin/node'))
  );
};

export const ensureDependencies = () => {
  const wanted = packagesIn('package-lock.json');
  if (wanted === undefined)
    throw new Remedy('package-lock.json is missing or unreadable: check out the repository again.');
  if (isComplete(wanted)) return;
  ensureNodeLibraries();
  const [command, args] = installer(process.versions.node, wanted['node_modules/node'].version);
  if (!step('Dependencies', command, args, {}, root))
    throw new Remedy(
      'The dependencies could not be installed; the reason stands above. The npm registry must be reachable.',
    );
  if (!isComplete(wanted))
    throw new Remedy(
      'npm has installed something else than package-lock.json asks for. Remove node_modules and try again.',
    );
};
