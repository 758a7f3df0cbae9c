import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));

export type Files = Record<string, string>;

/** Creates a folder with these files (name to content), and removes it after the test. A file that starts with `#!` is executable. */
export const createFolder = (files: Files): string => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-repo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    if (content.startsWith('#!')) chmodSync(join(folder, name), 0o755);
  }
  return folder;
};

const configurationFiles = [
  'package.json',
  'tsconfig.json',
  '.oxlintrc.json',
  '.prettierrc.json',
  '.prettierignore',
  '.dependency-cruiser.mjs',
  'vitest.config.ts',
];

/** As `createFolder`, with this project's configuration files, dependencies and six source folders. */
export const createProject = (files: Files): string => {
  const folder = createFolder(files);
  for (const file of configurationFiles) copyFileSync(join(repositoryRoot, file), join(folder, file));
  for (const source of ['contracts', 'libs', 'application', 'services', 'test', 'scripts'])
    mkdirSync(join(folder, source), { recursive: true });
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

/** Runs a program in the folder and waits until it ends; `env` replaces the environment. */
export const runToEnd = (
  folder: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): SpawnSyncReturns<string> => spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
