import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const jar = fileURLToPath(new URL('../../../.setup/mustang/Mustang-CLI-2.26.0.jar', import.meta.url));

/** Whether the test set-up could install the validator; otherwise the tests that need it are skipped. */
export const isMustangAvailable = existsSync(jar);

/** The compiler that optimises takes longer than the checks themselves. */
const javaOptions = ['-Xmx768m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', jar];

/** Runs Mustang, which also writes a log into the folder. Returns what it prints. */
const validateFolder = (folder: string): Promise<string> =>
  new Promise((resolve) => {
    const args = ['--no-notices', '--action', 'validateExpectValid', '--directory', folder];
    // It ends with an error if a file is not valid; the output tells.
    execFile('java', [...javaOptions, ...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_, stdout, stderr) =>
      resolve(stderr + stdout),
    );
  });

/**
 * Validates PDFs with one run of Mustang, because its start takes seconds. Names must be those of files. Returns what
 * Mustang says about each PDF that is not valid.
 */
export const invalidInvoices = async (pdfs: Readonly<Record<string, Uint8Array>>): Promise<Record<string, string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-mustang-'));
  try {
    for (const [name, pdf] of Object.entries(pdfs)) await writeFile(join(folder, `${name}.pdf`), pdf);
    const invalid = new Map(Object.keys(pdfs).map((name) => [name, 'Mustang says nothing about it.']));
    let messages = '';
    for (const line of (await validateFolder(folder)).split('\n')) {
      // Behind the messages about a file.
      const [, result, name] = /Testing file \d+:\s*(\w+) \(.*\/([^/]+)\.pdf\)/.exec(line) ?? [];
      if (result === 'valid') invalid.delete(name!);
      else if (name !== undefined) invalid.set(name, messages.slice(-8000));
      messages = name === undefined ? `${messages}${line}\n` : '';
    }
    return Object.fromEntries(invalid);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
