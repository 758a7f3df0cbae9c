import { bareId } from '#contracts/names.ts';
import { openTestInstallation } from '../support/service/installation.ts';
import { printHeading, quantile, printTarget } from './report.ts';
import { seedRenders } from './seed-renders.ts';

type Issued = { id: string; key: string };

/** Sequential GET /usage over HTTP, for an account with many renders in the current month. */
export const usage = async (renders: number, requests: number): Promise<void> => {
  printHeading(`GET /usage, ${renders} renders in the month`);
  const installation = await openTestInstallation({ LOG_LEVEL: 'warn' });
  try {
    const { id: account } = await installation.runJsonCommand<Issued>(
      'account',
      'create',
      '--name',
      'bench',
      '--plan',
      'enterprise',
    );
    const { id: keyId, key } = await installation.runJsonCommand<Issued>(
      'key',
      'create',
      '--account',
      account,
      '--type',
      'live',
    );
    await seedRenders(installation, bareId('acc', account)!, bareId('key', keyId)!, renders);
    const service = await installation.start();
    const measureRequest = async (): Promise<number> => {
      const start = performance.now();
      const response = await fetch(`${service.url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
      const { quota } = (await response.json()) as { quota: { used: number } };
      if (quota.used !== renders) throw new Error(`${quota.used} renders were counted instead of ${renders}`);
      return performance.now() - start;
    };
    const times: number[] = [];
    for (let request = 0; request < requests; request += 1) times.push(await measureRequest());
    const measured = times.slice(Math.floor(requests / 10));
    console.log(
      `  ${measured.length} requests, p50 ${quantile(measured, 0.5).toFixed(2)} ms, p99 ${quantile(measured, 0.99).toFixed(2)} ms`,
    );
    printTarget('GET /usage, median', quantile(measured, 0.5), 'at most', 5, ' ms');
    await service.stop('SIGTERM');
  } finally {
    await installation.remove();
  }
};
