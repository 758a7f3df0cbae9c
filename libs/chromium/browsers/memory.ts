import { readdir, readFile } from 'node:fs/promises';
import { ApiError } from '#contracts/http/api-error.ts';
import { BrowserGone } from '../cdp/errors.ts';

export type ProcessMemory = { pid: number; processGroup: number; megabytes: number; isRenderer: boolean };

/** The process group by process id. A process keeps its group, so the groups of other programs are read only once. */
const knownGroups = new Map<string, number>();

/** The process group from proc(5) stat. The process name before it may contain any character. */
const parseGroup = (stat: string): number => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);

const readGroup = async (pid: string): Promise<number> => {
  const group = knownGroups.get(pid) ?? parseGroup(await readFile(`/proc/${pid}/stat`, 'latin1'));
  knownGroups.set(pid, group);
  return group;
};

const readProcessMemory = async (pid: string, groups: Set<number>): Promise<ProcessMemory[]> => {
  try {
    // The first process of a group may have been read before it became one.
    const processGroup = groups.has(Number(pid)) ? Number(pid) : await readGroup(pid);
    if (!groups.has(processGroup)) return [];
    const [status, command] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'latin1'),
      readFile(`/proc/${pid}/cmdline`, 'latin1'),
    ]);
    if (/^State:\s+[ZX]/m.test(status)) return [];
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
    return [
      {
        pid: Number(pid),
        processGroup,
        megabytes: (kilobytes('RssAnon') + kilobytes('RssShmem')) / 1024,
        isRenderer: command.includes('--type=renderer'),
      },
    ];
  } catch {
    return []; // The process has ended meanwhile.
  }
};

/** The processes of the groups with their resident memory, without memory shared with files (proc(5)). */
export const readGroupMemory = async (groups: Set<number>): Promise<ProcessMemory[]> => {
  const pids = new Set((await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)));
  for (const pid of knownGroups.keys()) if (!pids.has(pid)) knownGroups.delete(pid);
  return (await Promise.all([...pids].map((pid) => readProcessMemory(pid, groups)))).flat();
};

export type KillDecision =
  { kill: 'nothing' } | { kill: 'renderer'; pid: number; exceedsAlone: boolean } | { kill: 'browser' };

/**
 * Decides what to kill if the processes of a browser exceed the limit: the largest page, or the browser if its own
 * processes are the largest. `exceedsAlone` says whether that page alone exceeds the limit.
 */
export const decideKill = (processes: ProcessMemory[], limitMb: number): KillDecision => {
  const total = processes.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const largest = processes.toSorted((a, b) => b.megabytes - a.megabytes)[0];
  if (!largest || total <= limitMb) return { kill: 'nothing' };
  if (!largest.isRenderer) return { kill: 'browser' };
  return { kill: 'renderer', pid: largest.pid, exceedsAlone: largest.megabytes > limitMb };
};

const memoryError = (limitMb: number, advice: string): ApiError =>
  ApiError.of('conversion_failed', `The document needs more memory than the limit of ${limitMb} MB.${advice}`, {
    details: { memory_limit_mb: limitMb },
  });

export const memoryExceededError = (limitMb: number): ApiError =>
  memoryError(
    limitMb,
    ' Split it into smaller documents. A table of thousands of rows needs much less memory as several tables.',
  );

export const heapExceededError = (limitMb: number): ApiError => memoryError(limitMb, ' Its scripts keep too much.');

/** The pages of a browser exceeded its limit together. Each of the documents may have enough memory alone. */
export class MemoryExceededTogether extends BrowserGone {
  readonly limitMb: number;

  constructor(limitMb: number) {
    super(`The pages of the browser needed more memory together than ${limitMb} MB.`);
    this.limitMb = limitMb;
  }
}
