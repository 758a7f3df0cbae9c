// Runs on Node 18 and later, before anything is installed: plain JavaScript, built-in modules only.
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureSystem } from './setup/system-packages.mjs';
import { fail } from './setup/output.mjs';

try {
  ensureDependencies();
  ensureSystem();
} catch (error) {
  fail(error);
}
