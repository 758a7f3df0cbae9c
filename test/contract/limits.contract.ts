import type { UsageReader } from '#libs/limits/port.ts';
import { describeContract } from './harness.ts';
import { type OpenedLimits, usageModel } from './limits/accounts.ts';
import { both } from './limits/both.ts';
import { corrections } from './limits/corrections.ts';
import { renders } from './limits/renders.ts';
import { requests } from './limits/requests.ts';

/** What every engine of the limits does. `open` gives an engine without counts that begins its months from `usage`. */
export const describeLimitsContract = (name: string, open: (usage: UsageReader) => Promise<Omit<OpenedLimits, 'usage'>>): void =>
  describeContract(
    `${name} as limits`,
    async () => {
      const { model, reader } = usageModel();
      return { ...(await open(reader)), usage: model };
    },
    { ...requests, ...renders, ...both, ...corrections },
  );
