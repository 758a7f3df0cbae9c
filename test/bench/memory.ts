import { readdirSync, readFileSync } from 'node:fs';
import { invoice } from './fixtures/invoice.ts';
import { measure } from './raw-limit.ts';
import { heading, sayPromise } from './report.ts';
import { must, withService } from './service.ts';

const parentOf = (pid: string): string | undefined => {
  try {
    return /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
};

const family = (root: number): string[] => {
  const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => [pid, parentOf(pid)]));
  const belongs = (pid: string | undefined): boolean => pid !== undefined && pid !== '0' && (pid === String(root) || belongs(parents.get(pid)));
  return [...parents.keys()].filter(belongs);
};

const ownMb = (pid: string): number => {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** What a process and all its descendants hold, shared pages counted once, in MiB. */
export const treeMb = (root: number): number => family(root).reduce((sum, pid) => sum + ownMb(pid), 0);

export const memory = async (first: number, all: number): Promise<void> => {
  heading(`Memory of the service and its browsers after ${first} and ${all} renders`);
  await withService({}, async ({ ask, service }) => {
    const render = (documents: number) =>
      measure(documents, 4, async (_, index) => must(await ask('POST', '/api/v1/render', JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index) }))));
    // What has just been used up is not what is held: the lowest of some readings counts.
    const held = async (): Promise<number> => {
      const readings: number[] = [];
      for (let reading = 0; reading < 5; reading += 1) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        readings.push(treeMb(service.pid));
      }
      return Math.min(...readings);
    };
    await render(first);
    const early = await held();
    await render(all - first);
    const late = await held();
    console.log(`  ${early.toFixed(0)} MiB after ${first}, ${late.toFixed(0)} MiB after ${all}`);
    sayPromise(`memory after ${all} renders in multiples of that after ${first}`, late / early, 'at most', 1.1);
  });
};
