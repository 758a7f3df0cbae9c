import type { ReadStore } from '#libs/read-store/port.ts';
import type { EngineUnderTest } from './describe-contract.ts';

/** `another` opens the same storage once more, as a second process would. */
export type ReadStoreUnderTest = EngineUnderTest<ReadStore> & { another?: () => Promise<ReadStore> };
