import type { EventStore } from '#libs/event-store/port.ts';
import { appendingCases } from './event-store/appending.ts';
import { subscribingCases } from './event-store/subscribing.ts';
import { eventStoreProcessesCases } from './event-store/several-processes.ts';
import { describeContract, type EngineUnderTest } from '../support/contract/describe-contract.ts';

/** The contract of the event store. `open` returns an empty event log each time. */
export const describeEventStoreContract = (name: string, open: () => Promise<EngineUnderTest<EventStore>>): void => {
  describeContract(`${name} as an event store`, open, {
    ...appendingCases,
    ...subscribingCases,
    ...eventStoreProcessesCases,
  });
};
