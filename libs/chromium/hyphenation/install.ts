import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileDictionary, type Patterns } from './dictionary.ts';

/**
 * The languages with patterns under free licences without copyleft for other works; the name of the dictionary that the
 * browser looks for, and of the patterns where they differ. Patterns under the GPL (cs, sk and others) and patterns
 * without a licence (ro) are left out.
 */
export const dictionaries: readonly (string | [dictionary: string, patterns: string])[] = [
  'bg',
  'ca',
  'cy',
  'da',
  'de-1901',
  'de-1996',
  'de-ch-1901',
  ['el', 'el-monoton'],
  'en-gb',
  'en-us',
  'es',
  'et',
  'eu',
  'fi',
  'fr',
  'hr',
  'hu',
  'it',
  'la',
  'lt',
  'nb',
  'nl',
  'nn',
  'pl',
  'pt',
  'ru',
  'sl',
  'sv',
  'tr',
  'uk',
];

const load = createRequire(import.meta.url);

/** The patterns of the npm package `hyphen`, by their name there. */
export const readPatterns = (name: string): Patterns => load(`hyphen/patterns/${name}.js`) as Patterns;

/**
 * Installs the dictionaries for `hyphens: auto` beside the executable of a headless shell, the only place where it
 * looks for them.
 * @param browserFolder the folder of the executable
 */
const installDictionaries = (browserFolder: string): void => {
  const prepared = mkdtempSync(join(browserFolder, '.hyphen-data-'));
  try {
    for (const entry of dictionaries) {
      const [dictionary, patterns] = typeof entry === 'string' ? [entry, entry] : entry;
      writeFileSync(join(prepared, `hyph-${dictionary}.hyb`), compileDictionary(readPatterns(patterns)), {
        mode: 0o644,
      });
    }
    chmodSync(prepared, 0o755);
    const target = join(browserFolder, 'hyphen-data');
    rmSync(target, { recursive: true, force: true });
    renameSync(prepared, target);
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
};

if (import.meta.main) installDictionaries(process.argv[2]!);
