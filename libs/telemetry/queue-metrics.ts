import { consumers, readModels } from '#contracts/names.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { observeGauge, type GaugeValue } from './metrics.ts';

const queues = [
  { name: consumers.renderer, model: readModels.renders, open: ['QUEUED', 'PROCESSING'] },
  { name: consumers.delivery, model: readModels.deliveries, open: ['pending', 'sent', 'timeout'] },
];

const oldestRenderAge = async (reads: ReadStore): Promise<number> => {
  const [oldest] = (await reads.find(readModels.renders, {
    where: { status: 'QUEUED' },
    sort: { by: 'id', descending: false },
    limit: 1,
  })) as RenderDocument[];
  return oldest ? Math.max(0, Date.now() - Date.parse(oldest.createdAt)) / 1000 : 0;
};

/**
 * Observes the queues. All processes report the same values, so use `max` in queries. Returns a function that stops it.
 */
export const observeQueues = (reads: ReadStore): (() => void) => {
  const length = async ({ name, model, open }: (typeof queues)[number]): Promise<GaugeValue> => {
    const counts = await Promise.all(open.map((status) => reads.count(model, { status })));
    return { value: counts.reduce((sum, count) => sum + count, 0), labels: { queue: name } };
  };
  const lengths = (): Promise<GaugeValue[]> => Promise.all(queues.map(length));
  const stops = [
    observeGauge('colophon.queue.length', lengths),
    observeGauge('colophon.queue.age', async () => [{ value: await oldestRenderAge(reads) }]),
  ];
  return () => stops.forEach((stop) => stop());
};
