// Runs on Node 18 or later, before anything is installed: plain JavaScript, built-in modules only.
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { allAvailable, canInstall, hasApt, installPackages, updatePackageLists } from './apt.mjs';
import { fail, printStatus } from './output.mjs';

/** Debian's packages of LibreOffice without a screen, and the Python that loads it. */
export const officePackages = [
  'libreoffice-writer-nogui',
  'libreoffice-calc-nogui',
  'libreoffice-impress-nogui',
  'libreoffice-math-nogui',
  'python3',
];

const folders = ['/usr/lib/libreoffice/program', '/usr/lib64/libreoffice/program'];

export const isOfficeInstalled = () =>
  process.env.LIBREOFFICE_FOLDER !== undefined || folders.some((folder) => existsSync(`${folder}/libmergedlo.so`));

const isWanted = () => process.env.COLOPHON_OFFICE === 'install';

const advice = () =>
  hasApt() ? 'npm run setup:office (as root)' : `the packages ${officePackages.join(', ')} of your system`;

/** Installs LibreOffice. True if it is there afterwards. */
export const installOffice = () => {
  if (isOfficeInstalled()) return true;
  if (!canInstall()) return false;
  updatePackageLists();
  const available = allAvailable(officePackages);
  return available.length > 0 && installPackages('LibreOffice', available) && isOfficeInstalled();
};

/** Offers LibreOffice, which lays out office documents; installs it only with COLOPHON_OFFICE=install. */
export const offerOffice = () => {
  if (isOfficeInstalled() || (isWanted() && installOffice())) return;
  printStatus(
    'LibreOffice is not installed. Word documents are printed in the style of the service; other office documents not ' +
      `at all. To install it (about 400 MB): ${advice()}`,
  );
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  if (!installOffice()) fail(new Error(`LibreOffice could not be installed. Install ${officePackages.join(', ')}.`));
