import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

export type ProcessInfo = { pid: number; parent: number; group: number; command: string };

const read = (pid: number): ProcessInfo[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return [];
    return [
      {
        pid,
        parent: Number(parent),
        group: Number(group),
        command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
      },
    ];
  } catch {
    return [];
  }
};

const allProcesses = (): ProcessInfo[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(Number(name)) : []));

/** All descendants of this process. */
export const descendantsOf = (pid: number): ProcessInfo[] => {
  const processes = allProcesses();
  const below = (parent: number): ProcessInfo[] =>
    processes.flatMap((one) => (one.parent === parent ? [one, ...below(one.pid)] : []));
  return below(pid);
};

/** The processes that are still running. */
export const stillRunning = (processes: readonly ProcessInfo[]): ProcessInfo[] =>
  processes.filter(({ pid, group }) => read(pid).some((now) => now.group === group));

/** The folders of the browsers among the processes. */
export const browserFoldersOf = (processes: readonly ProcessInfo[], temporary = tmpdir()): string[] =>
  readdirSync(temporary)
    .filter((name) => name.startsWith('colophon-browser-'))
    .filter((name) => processes.some(({ command }) => command.includes(name)))
    .map((name) => `${temporary}/${name}`);

const isRenderer = ({ command }: ProcessInfo): boolean => command.includes('--type=renderer');
const isBrowser = ({ command }: ProcessInfo): boolean =>
  command.includes('--remote-debugging-pipe') && !command.includes('--type=') && !command.startsWith('/bin/sh');

/** Kills the pages of a service's browsers, or the browsers. Returns the number of killed processes. */
export const killBrowserProcesses = (service: { pid: number }, what: 'pages' | 'browsers'): number => {
  const victims = descendantsOf(service.pid).filter(what === 'pages' ? isRenderer : isBrowser);
  for (const { pid } of victims) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended in the meantime.
    }
  }
  return victims.length;
};
