import { spawnSync } from 'node:child_process';
import { say } from './output.mjs';

const longestOutput = 64 * 1024 * 1024;

export const outputOf = (command, args, env = {}) => {
  const done = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: longestOutput,
    env: { ...process.env, ...env },
  });
  return done.status === 0 ? done.stdout : undefined;
};

/** Says what is done and how long it took; the command's own output is shown only when it fails. */
export const step = (title, command, args, env = {}, folder = process.cwd()) => {
  say(`${title} ...`);
  const start = Date.now();
  const done = spawnSync(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: longestOutput,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (done.status === 0) {
    say(`${title}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    return true;
  }
  process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`);
  say(
    `${title}: failed (${done.error?.message ?? done.signal ?? `exit code ${done.status}`}): ${[command, ...args].join(' ')}`,
  );
  return false;
};
