import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { decodeMetricNames, decodeTraces, type ReceivedSpan } from './otlp.ts';

/** A test collector: receives OTLP over HTTP (protobuf) and keeps the data. */
export type OtlpCollector = {
  endpoint: string;
  spans: ReceivedSpan[];
  metricNames: Set<string>;
  requestCount(): number;
  close(): Promise<void>;
};

export const openOtlpCollector = async (): Promise<OtlpCollector> => {
  const spans: ReceivedSpan[] = [];
  const metricNames = new Set<string>();
  let requests = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    requests += 1;
    if (request.url === '/v1/traces') spans.push(...decodeTraces(bytes));
    if (request.url === '/v1/metrics') for (const name of decodeMetricNames(bytes)) metricNames.add(name);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metricNames,
    requestCount: () => requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
