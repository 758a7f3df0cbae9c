import type { Bus } from '#libs/bus/port.ts';
import type { EngineUnderTest } from './describe-contract.ts';

/** `advance` lets the bus's clock go on by so many milliseconds: by setting it, or by waiting where the clock is not ours. */
export type BusUnderTest = EngineUnderTest<Bus> & { advance: (ms: number) => Promise<void>; deduplicationMs: number };
