import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureMaven, hasJava } from '../maven.mjs';
import { printStatus } from '../output.mjs';
import { runStep } from '../run-command.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.setup/mustang');
const partial = join(root, '.setup/mustang.part');
// The command line is one file with all that it needs. Later versions of the plugin want its parent, which no repository has.
const artifact = 'org.mustangproject:Mustang-CLI:2.26.0';

const copyJar = () => {
  rmSync(partial, { recursive: true, force: true });
  const copied = runStep('Validator of electronic invoices for the tests (Mustang)', 'mvn', [
    ...['--batch-mode', '--quiet', 'org.apache.maven.plugins:maven-dependency-plugin:2.10:copy'],
    ...[`-Dartifact=${artifact}`, `-DoutputDirectory=${partial}`],
  ]);
  if (copied) renameSync(partial, folder);
  return copied;
};

/** Copies Mustang with Maven, which Debian has. Without it, the tests that validate electronic invoices are skipped. */
export const ensure = () => {
  if (existsSync(folder) && hasJava()) return;
  if (ensureMaven() && copyJar()) return;
  printStatus('Java or Maven is missing: the tests that validate electronic invoices are skipped.');
};
