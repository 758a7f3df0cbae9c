import { consumers, readModels, subjects } from '#contracts/names.ts';
import type { Bus } from '#libs/bus/port.ts';
import type { Printer } from '#libs/chromium/printer.ts';
import type { Preparation } from '#libs/documents/preparation.ts';
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

type BrowserHealth = ReturnType<Printer['health']>['browsers'][number];

/** Has browsers and conversion processes looked at. Returns what ends that. */
export const watchWorkshop = ({ printer, preparation }: { printer: Pick<Printer, 'health'>; preparation: Pick<Preparation, 'load'> }): (() => void) => {
  const ofBrowsers = (value: (browser: BrowserHealth) => number) => (): Reading[] => printer.health().browsers.map((browser) => ({ value: value(browser), labels: { browser: browser.kind } }));
  const stops = [
    watchGauge('colophon.browser.up', ofBrowsers(({ up }) => (up ? 1 : 0))),
    watchGauge('colophon.browser.running', ofBrowsers(({ running }) => running)),
    watchGauge('colophon.browser.waiting', ofBrowsers(({ waiting }) => waiting)),
    watchGauge('colophon.browser.memory', ofBrowsers(({ memoryMb }) => memoryMb * 2 ** 20)),
    watchGauge('colophon.browser.starts', ofBrowsers(({ starts }) => starts)),
    watchGauge('colophon.browser.crashes', ofBrowsers(({ crashes }) => crashes)),
    watchGauge('colophon.browser.documents', ofBrowsers(({ documents }) => documents)),
    watchGauge('colophon.conversion.running', () => [{ value: preparation.load().running }]),
    watchGauge('colophon.conversion.waiting', () => [{ value: preparation.load().waiting }]),
    watchGauge('colophon.conversion.processes', () => [{ value: preparation.load().processes }]),
  ];
  return () => stops.forEach((stop) => stop());
};

/** Has readiness looked at: `missing` names what is missing, as for `/health/ready`. Returns what ends that. */
export const watchReady = (missing: () => readonly string[]): (() => void) => watchGauge('colophon.ready', () => [{ value: missing().length === 0 ? 1 : 0 }]);
