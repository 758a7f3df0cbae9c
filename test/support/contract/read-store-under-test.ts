import type { ReadStore } from '#libs/read-store/port.ts';
import type { EngineUnderTest } from './describe-contract.ts';

/** `another` opens the same storage again, as a second process does. */
export type ReadStoreUnderTest = EngineUnderTest<ReadStore> & { another?: () => Promise<ReadStore> };
