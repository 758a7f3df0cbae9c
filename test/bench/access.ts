import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { permissions } from '#contracts/events/account.ts';
import { streams } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import { hashSecret, newSecret, visiblePrefix } from '#application/api-keys/secret.ts';
import { createApiKeyUsageCounter } from '#application/api-keys/usage-counter.ts';
import { accounts } from '#libs/projections/accounts.ts';
import { apiKeys } from '#libs/projections/api-keys.ts';
import { openMemoryLimits } from '#libs/limits/memory.ts';
import { createUsageReader } from '#libs/projections/usage-reader.ts';
import { openKeyCache } from '#application/api-keys/queries.ts';
import { authenticate, requireActive } from '../../services/api/server/authenticate.ts';
import { countRequest, requireRateLimitLeft } from '../../services/api/server/rate-limit.ts';
import { openTemporaryEngines } from '../support/service/temporary-engines.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { recordedEventsOf, projectEvents } from './seed.ts';

const accountOf = (number: number): string => `ACCOUNT${number}`;

const opened = (number: number) => ({
  stream: streams.account(accountOf(number)),
  type: 'AccountOpened',
  accountId: accountOf(number),
  data: { name: `account ${number}`, plan: 'business', overrides: { requestsPerMinute: 1_000_000 } },
});

const issued = (secret: string, number: number, accountCount: number) => {
  const accountId = accountOf(number % accountCount);
  return {
    stream: streams.apiKey(`KEY${number}`),
    type: 'ApiKeyIssued',
    accountId,
    data: {
      accountId,
      name: 'bench',
      keyType: 'live',
      hash: hashSecret(secret),
      prefix: visiblePrefix(secret),
      permissions: [...permissions],
      expiresAt: null,
    },
  };
};

const requestWith = (secret: string): IncomingMessage =>
  ({ rawHeaders: ['Host', 'localhost', 'Authorization', `Bearer ${secret}`] }) as IncomingMessage;
const replyWithout = (): FastifyReply => ({ request: {}, header: () => undefined }) as unknown as FastifyReply;

/** The time of authentication and of counting a request, within the process of the API. */
export const access = async (keyCount: number, requests: number): Promise<void> => {
  printHeading(`Authentication and limits, ${keyCount} keys`);
  const { engines, remove } = await openTemporaryEngines();
  const limits = openMemoryLimits(createUsageReader(engines.store, engines.reads));
  const keyUses = createApiKeyUsageCounter(engines.reads);
  const callers = openKeyCache(engines.reads, 0, (read) => read);
  try {
    const accountCount = keyCount / 10;
    const secrets = Array.from({ length: keyCount }, () => newSecret('live'));
    const events: RecordedEvent[] = recordedEventsOf([
      ...Array.from({ length: accountCount }, (_, number) => opened(number)),
      ...secrets.map((secret, number) => issued(secret, number, accountCount)),
    ]);
    await projectEvents(engines.reads, [accounts, apiKeys], events);

    const countOneRequest = async (secret: string): Promise<number> => {
      const start = performance.now();
      const now = new Date();
      const reply = replyWithout();
      const caller = await authenticate(callers, requestWith(secret), now);
      keyUses.countRequest({ id: caller.keyId!, accountId: caller.account.id }, now);
      await countRequest(limits, caller.account, reply, now);
      requireActive(caller.account);
      requireRateLimitLeft(reply.request.limitsStatus!.rateLimit, now);
      return performance.now() - start;
    };
    const times: number[] = [];
    // The step and the number of keys have no common factor, so every key is used and neighbours do not follow each other.
    for (let request = 0; request < requests; request += 1)
      times.push(await countOneRequest(secrets[(request * 7_919) % keyCount]!));
    const measured = times.slice(Math.floor(requests / 10));
    console.log(
      `  ${measured.length} requests, p50 ${quantile(measured, 0.5).toFixed(3)} ms, p99 ${quantile(measured, 0.99).toFixed(3)} ms`,
    );
    printTarget('authentication and limits, median', quantile(measured, 0.5), 'at most', 0.3, ' ms');
  } finally {
    await keyUses.close();
    await remove();
  }
};
