import { canInstall, installPackages, updatePackageLists } from './apt.mjs';
import { commandOutput } from './run-command.mjs';
import { SetupError } from './output.mjs';

// The npm package `node` is linked against it; the smallest Debian and Ubuntu images lack it.
const libraryFile = 'libatomic.so.1';
const packageName = 'libatomic1';

const isPresent = () => {
  const libraries = commandOutput('ldconfig', ['-p'], { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
  return libraries === undefined || libraries.includes(libraryFile);
};

export const ensureNodeLibraries = () => {
  if (isPresent()) return;
  if (canInstall() && updatePackageLists() && installPackages('Library for Node', [packageName]) && isPresent()) return;
  throw new SetupError(`Node needs ${libraryFile}, which is not installed. As root: apt-get install ${packageName}`);
};
