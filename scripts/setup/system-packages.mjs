import { allAvailable, canInstall, firstAvailable, hasApt, installPackages, updatePackageLists } from './apt.mjs';
import {
  certificateToolsPackage,
  browserPackages,
  downloadBrowser,
  browserMissingError,
  findInstalledBrowser,
  sandboxPackage,
} from './browser.mjs';
import { listFonts, missingFonts } from './fonts.mjs';
import { printStatus } from './output.mjs';

const requiredFontPackages = (missing, listing) => [
  ...new Set([...(listing === undefined ? ['fontconfig'] : []), ...missing.map(({ packageName }) => packageName)]),
];

const warnAboutMissingFonts = (missing, packages) => {
  const advice = hasApt()
    ? `As root: apt-get install ${packages.join(' ')}`
    : `The Debian packages are ${packages.join(', ')}`;
  printStatus(
    `Fonts are missing for: ${missing.map(({ name }) => name).join(', ')}. Such text is printed as boxes, or in another font. ${advice}`,
  );
};

const ensureFonts = () => {
  const listing = listFonts();
  const missing = missingFonts(listing);
  if (missing.length === 0) return;
  const packages = requiredFontPackages(missing, listing);
  const available = canInstall() ? allAvailable(packages) : [];
  if (available.length > 0 && installPackages('Fonts', available) && missingFonts(listFonts()).length === 0) return;
  warnAboutMissingFonts(missingFonts(listFonts()), packages);
};

const ensureBrowser = () => {
  if (findInstalledBrowser()) return;
  const available = canInstall() ? firstAvailable(browserPackages) : undefined;
  if (
    available &&
    installPackages('Browser', [available, sandboxPackage, certificateToolsPackage]) &&
    findInstalledBrowser()
  )
    return;
  if (downloadBrowser() && findInstalledBrowser()) return;
  throw browserMissingError;
};

/**
 * Installs a browser and the fonts when they are missing and this user may install packages.
 * Missing fonts are a warning. @throws SetupError without a browser
 */
export const ensureSystemPackages = () => {
  if (findInstalledBrowser() && missingFonts(listFonts()).length === 0) return;
  if (canInstall()) updatePackageLists();
  ensureBrowser();
  ensureFonts();
};
