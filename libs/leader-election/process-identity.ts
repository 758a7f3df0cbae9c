import { readFileSync, readlinkSync } from 'node:fs';
import { newId } from '#libs/ids/ulids.ts';
import { isAlive } from '#libs/processes/processes.ts';

/**
 * A process that takes part in leader elections. `name` is for logs. `pidNamespace` names the running kernel and the
 * process namespace of `pid`; null when it is unknown.
 */
export type ProcessIdentity = { id: string; name: string; pid: number; pidNamespace: string | null };

const readPidNamespace = (): string | null => {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
};

/** The identity of this process, with a new id. */
export const createProcessIdentity = (name: string): ProcessIdentity => ({
  id: newId(),
  name,
  pid: process.pid,
  pidNamespace: readPidNamespace(),
});

/** Whether this process can see that the other one has ended; false in doubt. */
export const hasEnded = (other: ProcessIdentity, thisProcess: ProcessIdentity): boolean =>
  thisProcess.pidNamespace !== null &&
  other.pidNamespace === thisProcess.pidNamespace &&
  other.id !== thisProcess.id &&
  (other.pid === thisProcess.pid || !isAlive(other.pid));
