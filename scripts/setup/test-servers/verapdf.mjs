import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureMaven, hasJava } from '../maven.mjs';
import { runStep } from '../run-command.mjs';
import { printStatus } from '../output.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.setup/verapdf');
const partial = join(root, '.setup/verapdf.part');

const copyLibraries = () => {
  rmSync(partial, { recursive: true, force: true });
  const pom = join(root, 'scripts/setup/verapdf-pom.xml');
  const copied = runStep('Validator of PDF/A for the tests (veraPDF)', 'mvn', [
    ...['--batch-mode', '--quiet', '--file', pom],
    ...['dependency:copy-dependencies', `-DoutputDirectory=${partial}`],
  ]);
  if (copied) renameSync(partial, folder);
  return copied;
};

/** Copies veraPDF with Maven, which Debian has. Without it, the tests that validate PDFs are skipped. */
export const ensure = () => {
  if (existsSync(folder) && hasJava()) return;
  if (ensureMaven() && copyLibraries()) return;
  printStatus('Java or Maven is missing: the tests that validate PDF/A and PDF/UA are skipped.');
};
