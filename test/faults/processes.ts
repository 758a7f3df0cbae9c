import { readdirSync, readFileSync } from 'node:fs';

export type Process = { pid: number; parent: number; group: number; command: string };

const read = (pid: number): Process[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return [];
    return [{ pid, parent: Number(parent), group: Number(group), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
  } catch {
    return [];
  }
};

const all = (): Process[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(Number(name)) : []));

/** Every process that descends from this one, at whatever depth. */
export const descendantsOf = (pid: number): Process[] => {
  const processes = all();
  const below = (parent: number): Process[] => processes.flatMap((one) => (one.parent === parent ? [one, ...below(one.pid)] : []));
  return below(pid);
};

/** Those of the processes that still run. */
export const stillRunning = (processes: readonly Process[]): Process[] => processes.filter(({ pid, group }) => read(pid).some((now) => now.group === group));

const isRenderer = ({ command }: Process): boolean => command.includes('--type=renderer');
const isBrowser = ({ command }: Process): boolean => command.includes('--remote-debugging-pipe') && !command.includes('--type=') && !command.startsWith('/bin/sh');

/** Ends the pages of a service's browsers, or the browsers themselves, without warning; returns how many processes that were. */
export const kill = (service: { pid: number }, what: 'pages' | 'browsers'): number => {
  const victims = descendantsOf(service.pid).filter(what === 'pages' ? isRenderer : isBrowser);
  for (const { pid } of victims) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It went by itself in between.
    }
  }
  return victims.length;
};
