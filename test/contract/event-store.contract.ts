import type { EventStore } from '#libs/event-store/port.ts';
import { appending } from './event-store/appending.ts';
import { following } from './event-store/following.ts';
import { sharing } from './event-store/sharing.ts';
import { describeContract, type Opened } from './harness.ts';

/** What every engine of the event store does. `open` gives an empty log each time. */
export const describeEventStoreContract = (name: string, open: () => Promise<Opened<EventStore>>): void => {
  describeContract(`${name} as an event store`, open, { ...appending, ...following, ...sharing });
};
