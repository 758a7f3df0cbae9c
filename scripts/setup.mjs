// Runs on Node 18 or later, before anything is installed: plain JavaScript, built-in modules only.
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureSystemPackages } from './setup/system-packages.mjs';
import { fail } from './setup/output.mjs';

try {
  ensureDependencies();
  ensureSystemPackages();
} catch (error) {
  fail(error);
}
