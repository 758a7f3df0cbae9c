import type { Bus } from '#libs/bus/port.ts';
import type { EngineUnderTest } from './describe-contract.ts';

/** `advance` moves the clock of the bus by this many milliseconds: it sets the clock, or waits if the clock cannot be set. */
export type BusUnderTest = EngineUnderTest<Bus> & { advance: (ms: number) => Promise<void>; deduplicationMs: number };
