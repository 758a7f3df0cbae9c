import { expect, it } from 'vitest';
import { streams, subjects } from '#contracts/names.ts';
import { openMemoryBus } from '#libs/bus/memory.ts';
import { publishWithTrace } from '#libs/telemetry/message-tracing.ts';
import { runDeliveryWorker } from '../../services/delivery/delivery.ts';
import type { DeliveryDependencies } from '#application/deliveries/deliver-webhook.ts';
import type { RunRenderDependencies } from '#application/renders/end-render.ts';
import { runRenderer } from '../../services/renderer/renderer.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const render = '01JR04W1P8C2N5H7K9M3Q6S8VX';

const away = async (): Promise<never> => {
  throw new Error('the log is away');
};

it('An error of a worker is reported with the render and the trace of its request', async () => {
  const bus = openMemoryBus();
  const stop = new AbortController();
  const reported: Record<string, unknown>[] = [];
  const report = (fields: Record<string, unknown>): void => void reported.push(fields);
  const dependencies = {
    eventLog: { store: { readCached: () => null, read: away }, now: () => new Date() },
    blobs: {},
    report,
  };
  const running = [
    runRenderer(dependencies as unknown as RunRenderDependencies, bus, 1, stop.signal),
    runDeliveryWorker(dependencies as unknown as DeliveryDependencies, bus, report, stop.signal),
  ];
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  await publishWithTrace(
    bus,
    { subject: subjects.renderRequested, id: 'r', data: { stream: streams.render(render) } },
    traceparent,
  );
  await publishWithTrace(bus, { subject: subjects.deliveryDue, id: 'd', data: { id: render } }, traceparent);
  await expect.poll(() => new Set(reported.map((fields) => fields['message_id']))).toEqual(new Set(['r', 'd']));
  stop.abort();
  await Promise.all(running);
  await bus.close();
  for (const fields of reported)
    expect(fields).toMatchObject({ render, trace_id: trace, error: expect.stringContaining('the log is away') });
});
