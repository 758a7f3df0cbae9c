import { readdirSync, readFileSync } from 'node:fs';

// Reads /proc, so it works on Linux only.

const textOf = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

const allProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)/m.exec(textOf(pid, 'status'))?.[1] ?? 0);

/** A process and all its descendants. */
export const processTree = (root: number): number[] => {
  const parents = new Map(allProcesses().map((pid) => [pid, parentOf(pid)]));
  const belongs = (pid: number): boolean => pid !== 0 && (pid === root || belongs(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(belongs);
};

/** The command that a process runs, with its arguments. */
export const commandOf = (pid: number): string => textOf(pid, 'cmdline').replaceAll('\0', ' ');

/** The memory of a process in MiB, its proportional share of shared pages included. */
export const memoryMb = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0) / 1024;

const msPerTick = 10;

/** The processor time of a process so far, in milliseconds. */
export const processorMs = (pid: number): number => {
  const stat = textOf(pid, 'stat');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * msPerTick;
};
