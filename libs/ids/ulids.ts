import { randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

// The library needs a random number for each character; a pool saves most calls of the system.
const randomPool = new Uint8Array(4096);
let poolOffset = randomPool.length;

const randomFraction = (): number => {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  return randomPool[poolOffset++]! / 256;
};

/** A new ULID: 48 bits of time in milliseconds (of `at`, or now) and 80 random bits. */
export const newId = (at?: Date): string => ulid(at?.getTime(), randomFraction);

/** `req_<id>`: the id of a request or command in its response, in the log and in its events. */
export const newRequestId = (): string => `req_${newId()}`;

/** The time in an id, to the millisecond. */
export const timeOfId = (id: string): Date => new Date(decodeTime(id));
