import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const isInstalled = (): boolean => {
  try {
    execFileSync('qpdf', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Whether the test set-up could install qpdf; otherwise the tests that need it are skipped. */
export const isQpdfAvailable = isInstalled();

/** What qpdf prints about a PDF, and whether it found neither errors nor warnings. */
export type QpdfResult = { isGood: boolean; output: string };

/** Runs qpdf with a PDF as its last argument. A password is the bytes of a text. */
export const runQpdf = async (
  pdf: Uint8Array,
  args: readonly string[],
  password?: string | Uint8Array,
): Promise<QpdfResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-qpdf-'));
  try {
    const file = join(folder, 'document.pdf');
    await writeFile(file, pdf);
    const passwordFile = join(folder, 'password');
    if (password !== undefined) await writeFile(passwordFile, password);
    const passwordArgs = password === undefined ? [] : [`--password-file=${passwordFile}`, '--password-mode=bytes'];
    return await new Promise((resolve) => {
      execFile('qpdf', [...passwordArgs, ...args, file], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
        resolve({ isGood: error === null, output: `${stdout}${stderr}`.replaceAll(file, 'document.pdf') }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** `qpdf --check`: reads every object and stream of a PDF. */
export const checkWithQpdf = (pdf: Uint8Array, password?: string | Uint8Array): Promise<QpdfResult> =>
  runQpdf(pdf, ['--check'], password);
