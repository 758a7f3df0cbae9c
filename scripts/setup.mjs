// Runs on Node 18 or later, before anything is installed: plain JavaScript, built-in modules only.
import { ensureDashboard } from './setup/dashboard.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureHyphenation } from './setup/hyphenation.mjs';
import { ensureSystemPackages } from './setup/system-packages.mjs';
import { offerOffice } from './setup/office.mjs';
import { fail } from './setup/output.mjs';

try {
  ensureDependencies();
  ensureSystemPackages();
  offerOffice();
  ensureHyphenation();
  ensureDashboard();
} catch (error) {
  fail(error);
}
