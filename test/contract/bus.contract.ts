import { ending } from './bus/ending.ts';
import { handing } from './bus/handing.ts';
import type { OpenedBus } from './bus/opened.ts';
import { sharing } from './bus/sharing.ts';
import { turns } from './bus/turns.ts';
import { describeContract } from './harness.ts';
import { marking } from './marking.ts';

/** What every engine of the bus does. `open` gives an empty bus each time. */
export const describeBusContract = (name: string, open: () => Promise<OpenedBus>): void => {
  describeContract(`${name} as a bus`, open, { ...handing, ...turns, ...ending, ...sharing, ...marking });
};
