import { readExample } from '#libs/templating/examples.ts';
import { openServersEnvironment } from '../support/environment.ts';
import { commandOf, processTree, memoryMb, processorMs } from './processes.ts';
import { measure } from './raw-limit.ts';
import { printHeading, printMeasurement } from './report.ts';
import { requireStatus, withBenchService } from './service.ts';

const roles = ['renderer', 'relay', 'projector', 'delivery', 'sweeper'] as const;

const servers: Record<string, RegExp> = {
  'KurrentDB (stand-in)': /kurrentdb\/main\.ts/,
  NATS: /nats-server/,
  'MongoDB (FerretDB)': /ferretdb\/ferretdb/,
};

/** The part or server to which a process belongs; undefined for other processes. */
const partOf = (pid: number, roleOf: ReadonlyMap<number, string>): string | undefined => {
  const command = commandOf(pid);
  const server = Object.keys(servers).find((name) => servers[name]!.test(command));
  if (server) return server;
  if (roleOf.has(pid)) return roleOf.get(pid);
  return /headless/.test(command) ? 'browsers' : /documents\/worker/.test(command) ? 'conversions' : undefined;
};

/** Processor time per document, and memory, of each part of an installation with one process for each role. */
export const sizing = async (documents: number): Promise<void> => {
  printHeading('RENDER of the shipped invoice, four at once, every role a process of its own: the cost of each part');
  const environment = await openServersEnvironment();
  try {
    await withBenchService(
      environment.settings as Record<string, string>,
      async ({ installation, service, request }) => {
        const roleOf = new Map<number, string>([[service.pid, 'api']]);
        const running = await Promise.all(
          roles.map(async (role) => ({ role, process: await installation.start(role) })),
        );
        for (const { role, process } of running) roleOf.set(process.pid, role);
        const { template, sample } = await readExample('invoice');
        const { id } = JSON.parse(
          requireStatus(await request('POST', '/api/v1/templates', JSON.stringify(template)), 201).toString(),
        ) as { id: string };
        const render = (count: number) =>
          measure(count, 4, async () =>
            requireStatus(
              await request(
                'POST',
                '/api/v1/render',
                JSON.stringify({ mode: 'RENDER', template_id: id, data: sample }),
              ),
            ),
          );
        await render(documents / 2);

        const ownProcesses = (): number[] => processTree(process.pid);
        const before = new Map(ownProcesses().map((pid) => [pid, processorMs(pid)]));
        printMeasurement('through the API', await render(documents));
        const parts = new Map<string, { ms: number; mb: number }>();
        for (const pid of ownProcesses()) {
          const part = partOf(pid, roleOf);
          if (!part) continue;
          const { ms, mb } = parts.get(part) ?? { ms: 0, mb: 0 };
          parts.set(part, { ms: ms + processorMs(pid) - (before.get(pid) ?? 0), mb: mb + memoryMb(pid) });
        }
        // A measurement has a warm-up of one tenth.
        for (const [part, { ms, mb }] of parts)
          console.log(
            `  ${part.padEnd(24)} ${(ms / (documents * 1.1)).toFixed(1).padStart(5)} ms a document  ${mb.toFixed(0).padStart(5)} MiB`,
          );
        await Promise.all(running.map(({ process: one }) => one.stop('SIGTERM')));
      },
      ['api'],
    );
  } finally {
    await environment.close();
  }
};
