import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraries = fileURLToPath(new URL('../../../.setup/verapdf', import.meta.url));

/** Whether the test set-up could install the validator; otherwise the tests that need it are skipped. */
export const isVeraPdfAvailable = existsSync(libraries);

/** The standards, as veraPDF names them. */
export type Flavour = '2b' | '2u' | '3b' | '3u' | 'ua1';

/** The compiler that optimises takes longer than the checks themselves. */
const javaOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const run = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    // It ends with 1 if a file does not conform; the output tells.
    execFile('java', [...javaOptions, '-cp', `${libraries}/*`, ...args], options, (_, stdout) => resolve(stdout));
  });

/** The failed rules by the flavours that a PDF names, such as `{ ua1: ['7.3-1'] }`; an empty list if it conforms. */
export type Validation = { [F in Flavour]?: string[] };

/** The validation of a PDF that names these flavours and conforms to all of them. */
export const conformsTo = (...flavours: readonly Flavour[]): Validation =>
  Object.fromEntries(flavours.map((flavour) => [flavour, []]));

/** Validates PDFs with one run of veraPDF, because its start takes seconds. Returns the validation of each, by its name. */
export const validate = async (pdfs: Readonly<Record<string, Uint8Array>>): Promise<Record<string, Validation>> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-verapdf-'));
  try {
    const files = new Map(Object.keys(pdfs).map((name, index) => [join(folder, `${index}.pdf`), name]));
    await Promise.all([...files].map(([file, name]) => writeFile(file, pdfs[name]!)));
    const main = 'org.verapdf.apps.GreenfieldCliWrapper';
    const output = await run([main, '--format', 'text', '-v', ...files.keys()]);
    const results: Record<string, Validation> = {};
    let current: string[] = [];
    for (const line of output.split('\n')) {
      const [, verdict, file, flavour] = /^(PASS|FAIL) (\/.+\.pdf) (\w+)$/.exec(line.trimEnd()) ?? [];
      if (file) {
        current = verdict === 'PASS' ? [] : ['not valid'];
        (results[files.get(file)!] ??= {})[flavour as Flavour] = current;
      }
      const rule = /^\s+FAIL (\S+)/.exec(line)?.[1];
      if (rule) current.push(rule);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
