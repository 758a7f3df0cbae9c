import { consumers, subjects } from '#contracts/names.ts';
import type { Bus, Consumer, Delivery } from '#libs/bus/port.ts';
import { type RendererParts, runJob } from './render-job.ts';

const consumer: Consumer = { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 10_000 };
const retryMs = 1_000;

const work = async (parts: RendererParts, delivery: Delivery): Promise<void> => {
  const stillAtIt = setInterval(() => void delivery.working(), consumer.leaseMs / 3);
  try {
    const end = await runJob(parts, (delivery.data as { stream: string }).stream);
    await (end.kind === 'done' ? delivery.ack() : delivery.nak(end.delayMs));
  } catch (error) {
    parts.report({ message: delivery.id, error: String(error) }, 'a render could not be worked on; it comes again');
    await delivery.nak(retryMs);
  } finally {
    clearInterval(stillAtIt);
  }
};

/** Takes renders from the bus, `concurrency` at a time, until `signal` aborts; resolves when what runs is finished. */
export const runRenderer = async (parts: RendererParts, bus: Bus, concurrency: number, signal: AbortSignal): Promise<void> => {
  const hand = async (): Promise<void> => {
    for (;;) {
      const delivery = await bus.next(consumer, signal);
      if (!delivery) return;
      await work(parts, delivery);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, hand));
};
