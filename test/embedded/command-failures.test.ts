import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/network/free-port.ts';
import { type ProcessResult, runColophon, startColophon } from '../support/service/colophon-process.ts';
import { waitUntil } from '../support/wait-until.ts';

const program = fileURLToPath(new URL('../../bin/colophon', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'colophon-failures-'));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs a line of bash, in which $colophon is the program. */
const runShell = (line: string): Promise<ProcessResult> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], COLOPHON_DATA_DIR: folder, colophon: program };
    execFile('bash', ['--norc', '-c', line], { encoding: 'utf8', env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

it('A command whose output cannot be written says why in one line', async () => {
  expect(await runShell('"$colophon" --help > /dev/full')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The output cannot be written: the disk is full.\n',
  });
});

it('An error without other output needs no standard output', async () => {
  const { code, stderr } = await runShell('"$colophon" account show > /dev/full');
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^error: missing required argument[^\n]*\n[^\n]*--help[^\n]*\n$/),
  ]);
});

it('A command keeps its exit code when the reader of its error message has ended', async () => {
  expect(await runShell('"$colophon" nonsense 2>&1 >/dev/null | true; exit "${PIPESTATUS[0]}"')).toMatchObject({
    code: 2,
  });
});

it('"colophon start" serves without a reader of its output, and says that the keys were not shown', async () => {
  const port = await freePort();
  const { child, output, exited } = startColophon(['start'], {
    COLOPHON_DATA_DIR: join(folder, 'data'),
    PORT: String(port),
  });
  child.stdout.destroy();
  await waitUntil('it says so', () => output.stderr.includes('were not shown'));
  expect(output.stderr).toMatch(/"colophon key create --account default" issues a new key\.\n$/);
  await waitUntil('it is ready', async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
  child.kill('SIGTERM');
  expect((await exited).code).toBe(0);
});

it.each<[string, string[], Record<string, string>, RegExp]>([
  ['a data folder that is a file', ['start'], { COLOPHON_DATA_DIR: 'file' }, /file.* is not a folder/],
  ['a data folder below a file', ['account', 'list'], { COLOPHON_DATA_DIR: 'file/x' }, /file.* is not a folder/],
  ['no folder for temporary files', ['render', 'README.md', '-o', '-'], { TMPDIR: 'gone' }, /gone\/.* does not exist/],
])('With %s, a command says so without a stack', async (_what, args, variables, expected) => {
  const env = Object.fromEntries(Object.entries(variables).map(([name, path]) => [name, join(folder, path)]));
  const { code, stdout, stderr } = await runColophon(args, { PORT: '0', ...env });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(expected);
  expect(stderr).toMatch(new RegExp(`^[^\\n]*${Object.keys(variables)[0]} names the folder [^\\n]*\\n$`));
});
