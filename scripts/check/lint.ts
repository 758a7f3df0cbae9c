import { spawnSync } from 'node:child_process';

type Check = { name: string; command: string; args: string[] };

const checks: Check[] = [
  { name: 'format (Prettier)', command: 'prettier', args: ['--check', '.'] },
  { name: 'style and mistakes (oxlint)', command: 'oxlint', args: ['--deny-warnings'] },
  {
    name: 'dependency rules (dependency-cruiser)',
    command: 'depcruise',
    args: ['contracts', 'libs', 'application', 'services', 'test', 'scripts'],
  },
  { name: 'types (tsc)', command: 'tsc', args: ['-p', '.'] },
];

const runCheck = ({ name, command, args }: Check): boolean => {
  const result = spawnSync(`node_modules/.bin/${command}`, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const passed = result.status === 0;
  console.log(`lint  ${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!passed) console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`);
  return passed;
};

/** Runs every check in the current folder and prints the output of those that fail. True when all pass. */
export const lint = (): boolean => checks.map(runCheck).every(Boolean);
