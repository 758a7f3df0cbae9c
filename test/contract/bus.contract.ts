import { ending } from './bus/ending.ts';
import { handing } from './bus/handing.ts';
import type { OpenedBus } from './bus/opened.ts';
import { queues } from './bus/queues.ts';
import { sharing } from './bus/sharing.ts';
import { type Cases, describeContract } from './harness.ts';

/** What every engine of the bus does, and `more` that only some do. `open` gives an empty bus each time. */
export const describeBusContract = <O extends OpenedBus>(name: string, open: () => Promise<O>, more: Cases<O> = {}): void => {
  describeContract<O>(`${name} as a bus`, open, { ...handing, ...queues, ...ending, ...sharing, ...more });
};
