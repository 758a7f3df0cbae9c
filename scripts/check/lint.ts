import { execFile } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

type Check = { name: string; command: string; args: string[] };

/** Prettier formats a file again only after a change of its content, of the options or of Prettier. */
const prettierCache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.setup/prettier-cache'];

const checks: Check[] = [
  { name: 'format (Prettier)', command: 'prettier', args: ['--check', '.', ...prettierCache] },
  { name: 'style, mistakes and types (oxlint)', command: 'oxlint', args: ['--deny-warnings'] },
  {
    name: 'dependency rules (dependency-cruiser)',
    command: 'depcruise',
    args: ['contracts', 'libs', 'application', 'services', 'test', 'scripts'],
  },
  {
    name: 'retired words and line width',
    command: 'node',
    args: [fileURLToPath(new URL('check-text.ts', import.meta.url))],
  },
];

type CheckResult = { passed: boolean; output: string };

// The type checker is a Go program. It then collects its garbage less often, which saves a quarter of its processor time.
// With two threads, on a virtual machine with two cores, the kernel spent 50 s on the page faults of 4 GB, for which the
// threads interrupt each other. With one it is 4 s, and the lint takes 28 instead of 36 s.
const env = { ...process.env, GOGC: '400', GOMAXPROCS: '1' };

const runCheck = ({ command, args }: Check, niceness: number): Promise<CheckResult> =>
  new Promise((resolve) => {
    const child = execFile(
      `node_modules/.bin/${command}`,
      args,
      { env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ passed: error === null, output: stdout + stderr || String(error?.message) }),
    );
    if (child.pid !== undefined) setPriority(child.pid, niceness);
  });

/** `report` has a line for each check, and the output of those that fail. */
export type LintResult = { passed: boolean; report: string };

/** Runs all checks in the current folder at the same time. `niceness` is that of their processes. */
export const lint = async ({ niceness = 0 } = {}): Promise<LintResult> => {
  const results = await Promise.all(checks.map((check) => runCheck(check, niceness)));
  const lines = results.flatMap(({ passed, output }, index) => [
    `lint  ${passed ? 'ok    ' : 'FAILED'}  ${checks[index]!.name}`,
    ...(passed ? [] : [output]),
  ]);
  return { passed: results.every(({ passed }) => passed), report: lines.join('\n') };
};
