// Builds or installs the servers that the tests need. Runs on Node 18 or later, as `setup.mjs` does: the shell that runs both
// remembers the Node of the machine.
import { readdirSync } from 'node:fs';
import { fail } from './output.mjs';

const folder = new URL('./test-servers/', import.meta.url);

try {
  for (const name of readdirSync(folder)) (await import(new URL(name, folder).href)).ensure();
} catch (error) {
  fail(error);
}
