import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isReadable } from '#libs/config/setting-types.ts';

/** Where LibreOffice's libraries are, and the Python that loads them. */
export type Installation = { program: string; python: string };

/** LibreOffice of libreoffice.org installs itself below /opt, one folder for each version. */
const optFolders = (): string[] => {
  try {
    return readdirSync('/opt')
      .filter((name) => name.startsWith('libreoffice'))
      .toSorted()
      .toReversed()
      .map((name) => join('/opt', name, 'program'));
  } catch {
    return [];
  }
};

const programFolders = (): string[] => [
  '/usr/lib/libreoffice/program',
  '/usr/lib64/libreoffice/program',
  '/usr/local/lib/libreoffice/program',
  ...optFolders(),
];

const pathOf = (command: string): string | undefined =>
  ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean)]
    .map((folder) => join(folder, command))
    .find(isReadable);

/** The value of LIBREOFFICE_FOLDER that switches LibreOffice off. */
export const noLibreOffice = 'none';

const installHint =
  'Install it on the machine of the service: "npm run setup:office", or as root on Debian "apt-get install ' +
  'libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui libreoffice-math-nogui python3", and ' +
  'packages such as hyphen-de for the hyphenation of its documents.';

/** LibreOffice on this machine; in place of it, why there is none. `folder` is the one of the settings. */
export const findLibreOffice = (folder: string | undefined): Installation | { missing: string } => {
  if (folder === noLibreOffice) return { missing: 'LibreOffice is switched off by LIBREOFFICE_FOLDER=none.' };
  const program = (folder === undefined ? programFolders() : [folder, join(folder, 'program')]).find((one) =>
    isReadable(join(one, 'libmergedlo.so')),
  );
  if (program === undefined && folder !== undefined)
    return { missing: `LIBREOFFICE_FOLDER is ${folder}, and there is no LibreOffice in this folder.` };
  if (program === undefined) return { missing: `LibreOffice is not installed. ${installHint}` };
  const python = pathOf('python3');
  if (python === undefined) return { missing: `LibreOffice needs python3, which is not installed. ${installHint}` };
  return { program, python };
};
