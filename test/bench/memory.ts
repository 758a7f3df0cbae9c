import { invoice } from './fixtures/invoice.ts';
import { processTree, memoryMb } from './processes.ts';
import { measure } from './raw-limit.ts';
import { printHeading, printTarget } from './report.ts';
import { requireStatus, withBenchService } from './service.ts';

/** The memory of a process and its descendants in MiB; shared pages count once. */
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
    // Garbage that is not yet collected must not count, so the lowest of some readings is used.
    const readMemory = async (): Promise<number> => {
      const readings: number[] = [];
      for (let reading = 0; reading < 5; reading += 1) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        readings.push(processTreeMemoryMb(service.pid));
      }
      return Math.min(...readings);
    };
    await render(first);
    const early = await readMemory();
    await render(all - first);
    const late = await readMemory();
    console.log(`  ${early.toFixed(0)} MiB after ${first}, ${late.toFixed(0)} MiB after ${all}`);
    printTarget(`memory after ${all} renders, in multiples of that after ${first}`, late / early, 'at most', 1.1);
  });
};
