import { canInstall, installPackages, updatePackageLists } from '../apt.mjs';
import { printStatus } from '../output.mjs';
import { commandOutput } from '../run-command.mjs';

const isInstalled = () => commandOutput('qpdf', ['--version']) !== undefined;

/** Installs qpdf from Debian. Without it, the tests that check the syntax of PDFs with it are skipped. */
export const ensure = () => {
  if (isInstalled()) return;
  if (canInstall() && updatePackageLists() && installPackages('qpdf for the tests', ['qpdf']) && isInstalled()) return;
  printStatus('qpdf is missing: the tests that check PDFs with it are skipped.');
};
