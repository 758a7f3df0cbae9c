import { spawnSync } from 'node:child_process';

type Check = { name: string; command: string; args: string[] };

const checks: Check[] = [
  { name: 'style and mistakes (oxlint)', command: 'oxlint', args: ['--deny-warnings'] },
  {
    name: 'import walls (dependency-cruiser)',
    command: 'depcruise',
    args: ['contracts', 'libs', 'application', 'services', 'test', 'scripts'],
  },
  { name: 'types (tsc)', command: 'tsc', args: ['-p', '.'] },
];

const runCheck = ({ name, command, args }: Check): boolean => {
  const done = spawnSync(`node_modules/.bin/${command}`, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const passed = done.status === 0;
  console.log(`lint  ${passed ? 'ok    ' : 'FAILED'}  ${name}`);
  if (!passed) console.log(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}`);
  return passed;
};

/** Runs every check, in the folder of the project, and shows what those that fail have to say. True when all pass. */
export const lint = (): boolean => checks.map(runCheck).every(Boolean);
