// Builds or installs the servers that the tests need. Runs before the tests, on the Node that is installed with the dependencies.
import { readdirSync } from 'node:fs';
import { fail } from './output.mjs';

const folder = new URL('./test-servers/', import.meta.url);

try {
  for (const name of readdirSync(folder)) (await import(new URL(name, folder).href)).ensure();
} catch (error) {
  fail(error);
}
