import { install, mayInstall, refreshLists } from './apt.mjs';
import { outputOf } from './run-command.mjs';
import { Remedy } from './output.mjs';

// The Node that comes with the dependencies is linked against it, and the smallest Debian and Ubuntu images lack it.
const library = 'libatomic.so.1';
const package_ = 'libatomic1';

const isPresent = () => {
  const libraries = outputOf('ldconfig', ['-p'], { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
  return libraries === undefined || libraries.includes(library);
};

export const ensureNodeLibraries = () => {
  if (isPresent()) return;
  if (mayInstall() && refreshLists() && install('Library of Node', [package_]) && isPresent()) return;
  throw new Remedy(`Node needs ${library}, which this machine lacks. As root: apt-get install ${package_}`);
};
