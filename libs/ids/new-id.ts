import { randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

// The library asks its source of randomness once for each character, which is too often to go to the system each time.
const pool = new Uint8Array(4096);
let used = pool.length;

const randomShare = (): number => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]! / 256;
};

/** A new ULID: 48 bits of time in milliseconds, the present one unless `at` is given, and 80 random bits. */
export const newId = (at?: Date): string => ulid(at?.getTime(), randomShare);

/** The time that is in an id, to the millisecond. */
export const timeOf = (id: string): Date => new Date(decodeTime(id));
