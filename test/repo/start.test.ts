import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '#libs/processes/processes.ts';
import { createFolder, repositoryRoot } from '../support/repo/project-folder.ts';

const lock = JSON.stringify({ packages: { 'node_modules/node': { version: '26.0.0' } } });

// Stands for the service: prints its process id, and finishes when it gets SIGTERM.
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
  const parts = [
    'scripts/setup.mjs',
    'scripts/setup',
    'libs/config/find-browser.mjs',
    'services/resolve-own-imports.ts',
  ];
  for (const part of ['package.json', 'bin', ...parts])
    cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  return folder;
};

const startIn = (folder: string, command: string, args: string[]) => {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, PATH: `${join(folder, 'machine')}${delimiter}${process.env.PATH}` },
  });
  // Processes that npm started are in its process group, and do not end with it.
  onTestFinished(() => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  });
  let output = '';
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const waitForOutput = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const match = pattern.exec(output);
        if (match) resolve(match);
      });
      void ended.then(() => reject(new Error(`The process ended without the output ${String(pattern)}: ${output}`)));
    });
  return { child, waitForOutput, ended, output: () => output };
};

test('After SIGTERM to npm start, the service finishes and npm exits with code 0', async () => {
  const { child, waitForOutput, ended, output } = startIn(project(), 'npm', ['start']);
  const [, pid] = await waitForOutput(/^ready (\d+) start$/m);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(output()).toContain('finished');
  expect(isAlive(Number(pid))).toBe(false);
});

test('A command through npm prints only its own output', async () => {
  const folder = project();
  const { waitForOutput, output } = startIn(folder, 'npm', [
    'run',
    '-s',
    'colophon',
    '--',
    'account',
    'list',
    '--json',
  ]);
  await waitForOutput(/^ready \d+ account list --json$/m);
  expect(output().split('\n')).toHaveLength(2);
});

test('The installed command works from any folder', async () => {
  const folder = project();
  symlinkSync(join(folder, 'bin/colophon'), join(folder, 'machine/colophon'));
  const [line] = await startIn('/', join(folder, 'machine/colophon'), ['config']).waitForOutput(/^ready \d+ config$/m);
  expect(line).toContain('config');
});
