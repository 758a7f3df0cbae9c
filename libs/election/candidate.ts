import { readFileSync, readlinkSync } from 'node:fs';
import { newId } from '#libs/ids/new-id.ts';

/** A process that would hold an office. `place` names the running kernel and the process namespace in which `pid` means something; null where that cannot be told. */
export type Candidate = { id: string; name: string; pid: number; place: string | null };

const placeOfThisProcess = (): string | null => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** This process, under a name for people. */
export const thisCandidate = (name: string): Candidate => ({ id: newId(), name, pid: process.pid, place: placeOfThisProcess() });

/** Whether `other` is known to have ended, as `own` sees it; false in doubt. */
export const hasEnded = (other: Candidate, own: Candidate): boolean =>
  own.place !== null && other.place === own.place && other.id !== own.id && (other.pid === own.pid || !isAlive(other.pid));
