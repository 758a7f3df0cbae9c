import { spawnSync } from 'node:child_process';
import { printStatus } from './output.mjs';

const maxOutputBytes = 64 * 1024 * 1024;

/** The standard output of a command, or undefined when it failed. */
export const commandOutput = (command, args, env = {}) => {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
    env: { ...process.env, ...env },
  });
  return result.status === 0 ? result.stdout : undefined;
};

/** Runs a command and prints its title and duration; prints its output only when it fails. True when it succeeded. */
export const runStep = (title, command, args, env = {}, folder = process.cwd()) => {
  printStatus(`${title} ...`);
  const start = Date.now();
  const result = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (result.status === 0) {
    printStatus(`${title}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    return true;
  }
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  printStatus(
    `${title}: failed (${result.error?.message ?? result.signal ?? `exit code ${result.status}`}): ${[command, ...args].join(' ')}`,
  );
  return false;
};
