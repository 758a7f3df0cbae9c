// Programs that the tests run against. Runs on the Node that came with the dependencies, before the tests only: the service needs none of them.
import { readdirSync } from 'node:fs';
import { fail } from './output.mjs';

const folder = new URL('./test-servers/', import.meta.url);

try {
  for (const name of readdirSync(folder)) (await import(new URL(name, folder).href)).ensure();
} catch (error) {
  fail(error);
}
