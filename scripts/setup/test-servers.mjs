// Builds or installs the servers that the tests need. Runs on Node 18 or later, as `setup.mjs` does: the shell that runs both
// remembers the Node of the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fail } from './output.mjs';

const folder = new URL('./test-servers/', import.meta.url);
const goServers = ['ferretdb.mjs', 'nats.mjs'];
const load = (name) => import(new URL(name, folder).href);

/** Go compiles while the others are downloaded. A build that fails here is tried again, with a message, by `ensure`. */
const startGoBuilds = () =>
  spawn(process.execPath, [fileURLToPath(import.meta.url), 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });

try {
  if (process.argv[2] === 'build') for (const name of goServers) (await load(name)).buildWithGo();
  else {
    const built = once(startGoBuilds(), 'close');
    for (const name of readdirSync(folder)) if (!goServers.includes(name)) (await load(name)).ensure();
    await built;
    for (const name of goServers) (await load(name)).ensure();
  }
} catch (error) {
  fail(error);
}
