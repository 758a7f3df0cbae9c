import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { invoice } from './fixtures/invoice.ts';
import { measure } from './raw-limit.ts';
import { printHeading, quantile, printMeasurement, printTarget } from './report.ts';
import { type Bench, requireStatus, withBenchService } from './service.ts';

/** Receives the exported data and discards it. */
const openSink = async () => {
  let bytes = 0;
  const server = createServer((request: IncomingMessage, response) => {
    request
      .on('data', (chunk: Buffer) => (bytes += chunk.length))
      .on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const concurrency = 3;

const render = (bench: Bench, documents: number) =>
  measure(documents, concurrency, async (_, index) =>
    requireStatus(
      await bench.request(
        'POST',
        '/api/v1/render',
        JSON.stringify({ mode: 'CONVERT', input_type: 'html', data: invoice(index) }),
      ),
    ),
  );

/** Compares a service that traces every render with one that traces none, alternately. The median of the shares counts. */
export const tracing = async (documents: number, turns: number): Promise<void> => {
  printHeading('POST /render with every render traced, beside the same without traces');
  const sink = await openSink();
  try {
    await withBenchService({}, (plain) =>
      withBenchService(
        { OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint, OTEL_TRACES_SAMPLER: 'always_on' },
        async (traced) => {
          await render(plain, documents);
          await render(traced, documents);
          const shares: number[] = [];
          for (let turn = 0; turn < turns; turn += 1) {
            const pair = turn % 2 === 0 ? [plain, traced] : [traced, plain];
            const figures = new Map<Bench, Awaited<ReturnType<typeof render>>>();
            for (const bench of pair) figures.set(bench, await render(bench, documents));
            printMeasurement('without traces', figures.get(plain)!);
            printMeasurement('every render traced', figures.get(traced)!);
            shares.push(figures.get(traced)!.documentsPerSecond / figures.get(plain)!.documentsPerSecond);
          }
          console.log(`  ${Math.round(sink.bytes() / (documents * (turns + 1)))} bytes exported for each render`);
          if (sink.bytes() === 0) throw new Error('nothing was exported');
          printTarget(
            'throughput with every render traced, share of that without',
            quantile(shares, 0.5),
            'at least',
            0.93,
          );
        },
      ),
    );
  } finally {
    sink.close();
  }
};
