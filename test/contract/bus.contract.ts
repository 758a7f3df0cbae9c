import { acknowledgingCases } from './bus/acknowledging.ts';
import { leasingCases } from './bus/leasing.ts';
import type { BusUnderTest } from '../support/contract/bus-under-test.ts';
import { queueCases } from './bus/queues.ts';
import { busProcessesCases } from './bus/several-processes.ts';
import { type ContractCases, describeContract } from '../support/contract/describe-contract.ts';

/** The contract of the bus. `more` are cases for some engines only. `open` returns an empty bus each time. */
export const describeBusContract = <O extends BusUnderTest>(
  name: string,
  open: () => Promise<O>,
  more: ContractCases<O> = {},
): void => {
  describeContract<O>(`${name} as a bus`, open, {
    ...leasingCases,
    ...queueCases,
    ...acknowledgingCases,
    ...busProcessesCases,
    ...more,
  });
};
