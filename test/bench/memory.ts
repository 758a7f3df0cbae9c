import { invoice } from './fixtures/invoice.ts';
import { processTree, memoryMb } from './processes.ts';
import { measure } from './raw-limit.ts';
import { printHeading, printTarget } from './report.ts';
import { requireStatus, withBenchService } from './service.ts';

/** What a process and all its descendants hold, shared pages counted once, in MiB. */
export const processTreeMemoryMb = (root: number): number =>
  processTree(root).reduce((sum, pid) => sum + memoryMb(pid), 0);

export const memory = async (first: number, all: number): Promise<void> => {
  printHeading(`Memory of the service and its browsers after ${first} and ${all} renders`);
  await withBenchService({}, async ({ request, service }) => {
    const render = (documents: number) =>
      measure(documents, 4, async (_, index) =>
        requireStatus(
          await request(
            'POST',
            '/api/v1/render',
            JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index) }),
          ),
        ),
      );
    // What has just been used up is not what is held: the lowest of some readings counts.
    const held = async (): Promise<number> => {
      const readings: number[] = [];
      for (let reading = 0; reading < 5; reading += 1) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        readings.push(processTreeMemoryMb(service.pid));
      }
      return Math.min(...readings);
    };
    await render(first);
    const early = await held();
    await render(all - first);
    const late = await held();
    console.log(`  ${early.toFixed(0)} MiB after ${first}, ${late.toFixed(0)} MiB after ${all}`);
    printTarget(`memory after ${all} renders in multiples of that after ${first}`, late / early, 'at most', 1.1);
  });
};
