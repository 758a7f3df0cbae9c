import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFolder, repositoryRoot } from '../support/repo/project-folder.ts';

const lock = JSON.stringify({ packages: { 'node_modules/node': { version: '26.0.0' } } });

// It stands for the service: tells who it is, and finishes what it does when it is told to stop.
const service = `
process.on('SIGTERM', () => setImmediate(() => {
  console.log('finished');
  process.exit(0);
}));
setInterval(() => undefined, 60_000);
console.log('ready', process.pid, process.argv.slice(2).join(' '));
`;

const project = (): string => {
  const folder = createFolder({
    'package-lock.json': lock,
    'node_modules/.package-lock.json': lock,
    'services/cli.ts': service,
    'machine/chromium': '#!/bin/sh\n',
  });
  for (const part of ['package.json', 'scripts/setup.mjs', 'scripts/setup', 'libs/config/find-browser.mjs', 'bin'])
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  return folder;
};

const startedIn = (folder: string, command: string, args: string[]) => {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, PATH: `${join(folder, 'machine')}${delimiter}${process.env.PATH}` },
  });
  // What npm has started is in its group, and does not end with it.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  });
  let output = '';
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const says = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const match = pattern.exec(output);
        if (match) resolve(match);
      });
      void ended.then(() => reject(new Error(`It ended without saying ${String(pattern)}: ${output}`)));
    });
  return { child, says, ended, output: () => output };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a SIGTERM to npm start lets the service finish, and npm ends with exit code 0', async () => {
  const { child, says, ended, output } = startedIn(project(), 'npm', ['start']);
  const [, pid] = await says(/^ready (\d+) start$/m);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output()).toContain('finished');
  expect(isAlive(Number(pid))).toBe(false);
});

test('the command line says nothing but its own words', async () => {
  const folder = project();
  const { says, output } = startedIn(folder, 'npm', ['run', '-s', 'colophon', '--', 'account', 'list', '--json']);
  await says(/^ready \d+ account list --json$/m);
  expect(output().split('\n')).toHaveLength(2);
});

test('the installed command works from any folder', async () => {
  const folder = project();
  symlinkSync(join(folder, 'bin/colophon'), join(folder, 'machine/colophon'));
  const [line] = await startedIn('/', join(folder, 'machine/colophon'), ['config']).says(/^ready \d+ config$/m);
  expect(line).toContain('config');
});
