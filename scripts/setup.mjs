// Runs on Node 18 and later, before anything is installed: plain JavaScript, built-in modules only.
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureSystem } from './setup/system.mjs';
import { fail } from './setup/say.mjs';

try {
  ensureDependencies();
  ensureSystem();
} catch (error) {
  fail(error);
}
