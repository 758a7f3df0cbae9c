import { readModels } from '#contracts/names.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { addRender, deliveryTask, type RelayTask, type Schedulers } from './relay-tasks.ts';

const pageSize = 2_000;

async function* documentsWithStatus<D extends { id: string }>(
  reads: ReadStore,
  collection: string,
  status: string,
): AsyncGenerator<D> {
  const sort = { by: 'id', descending: false };
  for (let from: string | undefined; ;) {
    const page = (await reads.find(collection, {
      where: { status },
      range: { by: 'id', from },
      sort,
      limit: pageSize,
    })) as D[];
    for (const document of page) if (document.id !== from) yield document;
    if (page.length < pageSize) return;
    from = page.at(-1)!.id;
  }
}

/**
 * Adds the tasks that are open in the read models. Returns the position in the event log from which to read on.
 * Documents may already contain events after that position. Applying these events again does no harm: at the end of
 * the log the tasks are right.
 */
export const addOpenTasks = async (schedulers: Schedulers, reads: ReadStore): Promise<number> => {
  const checkpoints = await Promise.all(
    [readModels.renders, readModels.deliveries].map((model) => reads.checkpoint(model)),
  );
  // Renders that had begun are the oldest. They are read again for those that begin in the meantime.
  for (const status of ['PROCESSING', 'QUEUED', 'PROCESSING']) {
    for await (const { id, accountId, responseMode, source, docxLayout } of documentsWithStatus<RenderDocument>(
      reads,
      readModels.renders,
      status,
    )) {
      addRender(schedulers, { id, account: accountId, urgent: responseMode === 'wait', source, layout: docxLayout });
    }
  }
  // The messages of deliveries that had begun are still on the bus, so these come first and count before others do.
  const notBegun: RelayTask[] = [];
  for (const status of ['pending', 'sent', 'timeout']) {
    for await (const { id, accountId, round, requestedAt, lastAttemptAt } of documentsWithStatus<DeliveryDocument>(
      reads,
      readModels.deliveries,
      status,
    )) {
      const task = deliveryTask(id, accountId, round);
      if (lastAttemptAt !== null && (round === 1 || lastAttemptAt >= requestedAt)) schedulers.deliveries.add(task);
      else notBegun.push(task);
    }
  }
  for (const task of notBegun) schedulers.deliveries.add(task);
  return Math.min(...checkpoints);
};
