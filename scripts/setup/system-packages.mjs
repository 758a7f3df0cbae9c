import { firstOffered, hasApt, install, mayInstall, refreshLists } from './apt.mjs';
import {
  authorityTools,
  browserPackages,
  downloadBrowser,
  noBrowser,
  presentBrowser,
  sandboxPackage,
} from './browser.mjs';
import { listFonts, missingFonts } from './fonts.mjs';
import { say } from './output.mjs';

const fontPackagesFor = (missing, listing) => [
  ...new Set([...(listing === undefined ? ['fontconfig'] : []), ...missing.map((need) => need.package)]),
];

const warnOfFonts = (missing, packages) => {
  const remedy = hasApt()
    ? `As root: apt-get install ${packages.join(' ')}`
    : `Debian calls the packages ${packages.join(', ')}`;
  say(`Fonts are missing for: ${missing.map((need) => need.name).join(', ')}. Such text comes out as boxes. ${remedy}`);
};

const ensureFonts = () => {
  const listing = listFonts();
  const missing = missingFonts(listing);
  if (missing.length === 0) return;
  const packages = fontPackagesFor(missing, listing);
  if (mayInstall() && install('Fonts', packages) && missingFonts(listFonts()).length === 0) return;
  warnOfFonts(missingFonts(listFonts()), packages);
};

const ensureBrowser = () => {
  if (presentBrowser()) return;
  const offered = mayInstall() ? firstOffered(browserPackages) : undefined;
  if (offered && install('Browser', [offered, sandboxPackage, authorityTools]) && presentBrowser()) return;
  if (downloadBrowser() && presentBrowser()) return;
  throw noBrowser;
};

/** A browser that prints, and fonts that can write what it prints: installed where this user may, else said how. */
export const ensureSystem = () => {
  if (presentBrowser() && missingFonts(listFonts()).length === 0) return;
  if (mayInstall()) refreshLists();
  ensureBrowser();
  ensureFonts();
};
