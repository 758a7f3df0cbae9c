// Runs on Node 18 or later, before anything is installed: plain JavaScript, built-in modules only.
import { existsSync, readdirSync } from 'node:fs';
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

/** Patterns by which LibreOffice hyphenates: it has none of its own. */
const hyphenationPackages = [
  ...['cs', 'da', 'de', 'en-gb', 'en-us', 'es', 'fr', 'hu', 'it', 'nl', 'no', 'pl', 'pt-br', 'pt-pt', 'ru', 'sv', 'uk'],
].map((language) => `hyphen-${language}`);

const hasHyphenation = () =>
  existsSync('/usr/share/hyphen') &&
  ['de', 'en_US', 'fr'].every((language) =>
    readdirSync('/usr/share/hyphen').some((file) => file.startsWith(`hyph_${language}`)),
  );

const folders = ['/usr/lib/libreoffice/program', '/usr/lib64/libreoffice/program'];

export const isOfficeInstalled = () =>
  process.env.LIBREOFFICE_FOLDER !== undefined || folders.some((folder) => existsSync(`${folder}/libmergedlo.so`));

const isWanted = () => process.env.COLOPHON_OFFICE === 'install';

const advice = () =>
  hasApt() ? 'npm run setup:office (as root)' : `the packages ${officePackages.join(', ')} of your system`;

const installHyphenation = () => {
  if (hasHyphenation() || !canInstall()) return;
  updatePackageLists();
  const available = allAvailable(hyphenationPackages);
  if (available.length > 0) installPackages('Hyphenation of office documents', available);
};

/** Installs LibreOffice with its hyphenation. True if LibreOffice is there afterwards. */
export const installOffice = () => {
  if (!isOfficeInstalled() && canInstall()) {
    updatePackageLists();
    const available = allAvailable(officePackages);
    if (available.length > 0) installPackages('LibreOffice', available);
  }
  if (isOfficeInstalled() && process.env.LIBREOFFICE_FOLDER !== 'none') installHyphenation();
  return isOfficeInstalled();
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
