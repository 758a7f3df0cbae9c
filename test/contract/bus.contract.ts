import type { Bus } from '#libs/bus/port.ts';
import { ending } from './bus/ending.ts';
import { handing } from './bus/handing.ts';
import { sharing } from './bus/sharing.ts';
import { turns } from './bus/turns.ts';
import { describeContract, type Opened } from './harness.ts';

/** `advance` lets the bus's clock go on by so many milliseconds: by setting it, or by waiting where the clock is not ours. */
export type OpenedBus = Opened<Bus> & { advance: (ms: number) => Promise<void>; deduplicationMs: number };

/** What every engine of the bus does. `open` gives an empty bus each time. */
export const describeBusContract = (name: string, open: () => Promise<OpenedBus>): void => {
  describeContract(`${name} as a bus`, open, { ...handing, ...turns, ...ending, ...sharing });
};
