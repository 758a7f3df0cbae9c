import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const libraries = fileURLToPath(new URL('../../../.setup/verapdf', import.meta.url));

/** Whether the test set-up could install the validator; otherwise the tests that need it are skipped. */
export const isVeraPdfAvailable = existsSync(libraries);

/** The names of the standards on the command line of veraPDF. */
export type Flavour = '2b' | '2u' | '3b' | '3u' | 'ua1';

/** The compiler that optimises takes longer than the checks themselves. */
const javaOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const run = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { maxBuffer: 64 * 1024 * 1024 };
    // It ends with 1 if a file does not conform; the output tells.
    execFile('java', [...javaOptions, '-cp', `${libraries}/*`, ...args], options, (_, stdout) => resolve(stdout));
  });

/**
 * Validates PDFs with one run of veraPDF, because its start takes seconds. Returns the failed rules by the name of the
 * PDF, such as `7.3-1`; an empty list for a PDF that conforms.
 */
export const failedRules = async (
  pdfs: Readonly<Record<string, Uint8Array>>,
  flavour: Flavour,
): Promise<Record<string, string[]>> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-verapdf-'));
  try {
    const files = new Map(Object.keys(pdfs).map((name, index) => [join(folder, `${index}.pdf`), name]));
    await Promise.all([...files].map(([file, name]) => writeFile(file, pdfs[name]!)));
    const main = 'org.verapdf.apps.GreenfieldCliWrapper';
    const output = await run([main, '--flavour', flavour, '--format', 'text', '-v', ...files.keys()]);
    const results: Record<string, string[]> = {};
    let current: string[] = [];
    for (const line of output.split('\n')) {
      const file = /^(?:PASS|FAIL) (\/.+\.pdf)/.exec(line)?.[1];
      if (file) results[files.get(file)!] = current = line.startsWith('PASS') ? [] : ['not valid'];
      const rule = /^\s+FAIL (\S+)/.exec(line)?.[1];
      if (rule) current.push(rule);
    }
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
