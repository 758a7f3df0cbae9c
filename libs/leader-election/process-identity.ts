import { readFileSync, readlinkSync } from 'node:fs';
import { newId } from '#libs/ids/ulids.ts';

/** A process that would hold an office. `place` names the running kernel and the process namespace in which `pid` means something; null where that cannot be told. */
export type ProcessIdentity = { id: string; name: string; pid: number; pidNamespace: string | null };

const readPidNamespace = (): string | null => {
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
export const createProcessIdentity = (name: string): ProcessIdentity => ({
  id: newId(),
  name,
  pid: process.pid,
  pidNamespace: readPidNamespace(),
});

/** Whether `other` is known to have ended, as `own` sees it; false in doubt. */
export const hasEnded = (other: ProcessIdentity, own: ProcessIdentity): boolean =>
  own.pidNamespace !== null &&
  other.pidNamespace === own.pidNamespace &&
  other.id !== own.id &&
  (other.pid === own.pid || !isAlive(other.pid));
