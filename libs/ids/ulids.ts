import { randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

// The library asks its source of randomness once for each character, which is too often to go to the system each time.
const randomPool = new Uint8Array(4096);
let poolOffset = randomPool.length;

const randomFraction = (): number => {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  return randomPool[poolOffset++]! / 256;
};

/** A new ULID: 48 bits of time in milliseconds, the present one unless `at` is given, and 80 random bits. */
export const newId = (at?: Date): string => ulid(at?.getTime(), randomFraction);

/** The time that is in an id, to the millisecond. */
export const timeOfId = (id: string): Date => new Date(decodeTime(id));
