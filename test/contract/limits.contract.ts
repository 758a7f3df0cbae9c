import type { ReadMonth } from '#libs/limits/port.ts';
import { describeContract } from './harness.ts';
import { monthInTheLog, type OpenedLimits } from './limits/accounts.ts';
import { both } from './limits/both.ts';
import { marking } from './marking.ts';
import { renders } from './limits/renders.ts';
import { requests } from './limits/requests.ts';

/** What every engine of the limits does. `open` gives an engine without counts that learns from `readMonth`. */
export const describeLimitsContract = (name: string, open: (readMonth: ReadMonth) => Promise<OpenedLimits>): void =>
  describeContract(`${name} as limits`, () => open(monthInTheLog), { ...requests, ...renders, ...both, ...marking });
