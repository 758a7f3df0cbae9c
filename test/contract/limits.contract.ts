import type { UsageReader } from '#libs/limits/port.ts';
import { describeContract } from '../support/contract/describe-contract.ts';
import { type LimitsUnderTest, createUsageModel } from '../support/contract/limits-under-test.ts';
import { requestAndRenderCases } from './limits/requests-and-renders.ts';
import { correctionCases } from './limits/corrections.ts';
import { quotaCases } from './limits/quota.ts';
import { rateLimitCases } from './limits/rate-limit.ts';

/** The contract of the limits. `open` returns an engine without counts whose months start from `usage`. */
export const describeLimitsContract = (
  name: string,
  open: (usage: UsageReader) => Promise<Omit<LimitsUnderTest, 'usage'>>,
): void =>
  describeContract(
    `${name} as limits`,
    async () => {
      const { model, reader } = createUsageModel();
      return { ...(await open(reader)), usage: model };
    },
    { ...rateLimitCases, ...quotaCases, ...requestAndRenderCases, ...correctionCases },
  );
