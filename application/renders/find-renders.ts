import type { EventData } from '#contracts/events/event-schemas.ts';
import { ApiError } from '#contracts/http/api-error.ts';
import { bareId, readModels, streams } from '#contracts/names.ts';
import type { EventLog } from '#application/command-handling/aggregate.ts';
import { readStream } from '#application/command-handling/history.ts';
import { maxReadModelWaitMs } from '#application/command-handling/read-your-writes.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';

const { renders, deliveries } = readModels;

/** The bare id of `render_<id>` or `job_<id>`. */
export const bareRenderId = (prefixed: string): string | undefined =>
  bareId('render', prefixed) ?? bareId('job', prefixed);

export const renderNotFound = (): ApiError => ApiError.of('render_not_found', 'The account has no such render.');

/** The events of a render and its webhook delivery, in the order of the event log. */
const historyOf = async ({ store }: EventLog, id: string): Promise<RecordedEvent[]> => {
  // A delivery can have any number of rounds.
  const [render, delivery] = await Promise.all([
    store.read(streams.render(id)),
    readStream(store, streams.delivery(id)),
  ]);
  return [...render, ...delivery].toSorted((a, b) => a.position - b.position);
};

/** The recorded request of a render of the account. @throws ApiError render_not_found */
export const requireRenderOfAccount = async (
  { store }: EventLog,
  accountId: string,
  id: string | undefined,
): Promise<EventData['RenderRequested']> => {
  const [requested] = id ? await store.read(streams.render(id)) : [];
  if (requested?.type !== 'RenderRequested' || requested.data.accountId !== accountId) throw renderNotFound();
  return requested.data;
};

export type RenderWithHistory = { document: RenderDocument; history: RecordedEvent[] };

/**
 * Loads a render of the account with its whole history: after the callback, the render must not be shown as running.
 * @throws the error of `notFound`; ApiError service_unavailable if the read model is behind
 */
export const requireRender = async (
  { eventLog, reads }: { eventLog: EventLog; reads: ReadStore },
  accountId: string,
  id: string | undefined,
  notFound: () => ApiError,
): Promise<RenderWithHistory> => {
  const history = id ? await historyOf(eventLog, id) : [];
  if (!id || history[0]?.metadata.accountId !== accountId) throw notFound();
  const { position } = history.at(-1)!;
  await Promise.all([renders, deliveries].map((model) => reads.waitForCheckpoint(model, position, maxReadModelWaitMs)));
  const document = (await reads.get(renders, id)) as RenderDocument | null;
  if (document) return { document, history };
  const message = 'The render exists but cannot be shown yet. Try again in a moment.';
  throw ApiError.of('service_unavailable', message, { retry_after: 1 });
};

/** Finds the webhook deliveries of renders with one query, by the ids of the renders. */
export const findDeliveries = async (
  reads: ReadStore,
  documents: readonly RenderDocument[],
): Promise<Map<string, DeliveryDocument>> => {
  const ids = documents.filter(({ webhookUrl }) => webhookUrl !== null).map(({ id }) => id);
  const found = (await reads.getMany(deliveries, ids)) as DeliveryDocument[];
  return new Map(found.map((delivery) => [delivery.id, delivery]));
};
