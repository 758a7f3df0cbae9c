import { consumers, readModels, subjects } from '#contracts/names.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { watchGauge, type Reading } from './metrics.ts';

const queues = [
  { name: consumers.renderer, subject: subjects.renderRequested, leaseMs: 0 },
  { name: consumers.delivery, subject: subjects.deliveryDue, leaseMs: 0 },
];

const oldestAge = async (reads: ReadStore): Promise<number> => {
  const [oldest] = (await reads.find(readModels.renders, { where: { status: 'QUEUED' }, sort: { by: 'id', descending: false }, limit: 1 })) as RenderDocument[];
  return oldest ? Math.max(0, Date.now() - Date.parse(oldest.createdAt)) / 1000 : 0;
};

/** Has the queues looked at. Every process that does tells the same, so take the greatest of them. Returns what ends that. */
export const watchQueues = (bus: Bus, reads: ReadStore): (() => void) => {
  const lengths = (): Promise<Reading[]> => Promise.all(queues.map(async (queue) => ({ value: await bus.pending(queue), labels: { queue: queue.name } })));
  const stops = [watchGauge('colophon.queue.length', lengths), watchGauge('colophon.queue.age', async () => [{ value: await oldestAge(reads) }])];
  return () => stops.forEach((stop) => stop());
};
