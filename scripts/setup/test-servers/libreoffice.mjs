import { existsSync } from 'node:fs';
import { canInstall, installPackages } from '../apt.mjs';
import { installOffice } from '../office.mjs';
import { printStatus } from '../output.mjs';

/** Installs LibreOffice; the tests that need it are skipped without it. */
export const ensure = () => {
  if (!existsSync('/usr/bin/pdftoppm') && canInstall()) installPackages('pdftoppm for the tests', ['poppler-utils']);
  if (!installOffice()) printStatus('LibreOffice could not be installed: the tests of office documents are skipped.');
};
