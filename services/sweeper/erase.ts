import { eraseTarget } from '#application/deliveries/target.ts';
import { causedBy, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { erasePageSecrets } from '#application/renders/page-secrets.ts';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import { readModels, streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Decider } from '#libs/domain/decider.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { render } from '#libs/domain/render.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';

/** An aborted signal leaves the rest to the next sweep. */
export type ErasureDependencies = { eventLog: EventLog; reads: ReadStore; blobs: BlobStore; signal?: AbortSignal };

const pageSize = 500;
const eraseConcurrency = 20;
const readModelTimeoutMs = 5_000;

type StoredFile = 'pdf' | 'thumbnail';

/** The renders that keep a file after `time` (ISO 8601), the last first. Two are enough: one can be the render itself. */
export const rendersThatKeep = (file: StoredFile, sha256: string, time: string): Query => ({
  where: { [`${file}.sha256`]: sha256 },
  range: { by: 'keptUntil', from: time },
  sort: { by: 'keptUntil', descending: true },
  limit: 2,
});

const isKeptByAnotherRender = async (
  { reads, eventLog }: ErasureDependencies,
  id: string,
  file: StoredFile,
  sha256: string,
): Promise<boolean> => {
  const now = eventLog.now();
  const query = rendersThatKeep(file, sha256, now.toISOString());
  const found = (await reads.find(readModels.renders, query)) as RenderDocument[];
  return found.some((other) => other.id !== id && new Date(other.keptUntil!) > now);
};

/** The files of a render that no other render keeps, also those that workers stored beside them. */
const filesOfRenderAlone = async (dependencies: ErasureDependencies, document: RenderDocument): Promise<string[]> => {
  const files: string[] = [];
  for (const stored of [document, ...(document.discarded ?? [])])
    for (const file of ['thumbnail', 'pdf'] as const) {
      const sha256 = stored[file]?.sha256;
      if (sha256 !== undefined && !(await isKeptByAnotherRender(dependencies, document.id, file, sha256)))
        files.push(sha256);
    }
  return files;
};

/** Reads a stream that the read models know. @throws Error if the event log does not have it */
const loadKnown = async <State, Command, Event extends EventOf>(
  eventLog: EventLog,
  decider: Decider<State, Command, Event>,
  stream: string,
) => {
  const { history, aggregate } = await loadAggregate(eventLog, decider, stream);
  const [first, last] = [history[0], history.at(-1)];
  if (!first || !last) throw new Error(`the event log has no stream ${stream}; it is older than the read models`);
  return { first, last, aggregate };
};

/** The read models have the end of a render long before this time after its files were stored. */
const recentlyStoredMs = 5 * 60_000;

/**
 * Erases one PDF with its thumbnail. `position` is one that the read model has reached: otherwise it does not know which
 * files other renders keep. A file that was stored again recently stays until the next sweep: the render that has
 * the same bytes may not be in the read model yet. Returns the position of its PdfErased event; null if there is nothing
 * to erase now. The event comes last, so the next sweep repeats an erasure that was not finished.
 */
const erasePdf = async (
  dependencies: ErasureDependencies,
  document: RenderDocument,
  position: number,
): Promise<number | null> => {
  const { eventLog, blobs, reads } = dependencies;
  const files = await filesOfRenderAlone(dependencies, document);
  if ((await reads.checkpoint(readModels.renders)) < position) throw new Error('the read model was emptied meanwhile');
  const { first, last, aggregate } = await loadKnown(eventLog, render, streams.render(document.id));
  const command = { type: 'erasePdf', now: eventLog.now() } as const;
  // Since the document was read, the PDF may have been kept again.
  if (render.decide(command, aggregate.state).length === 0) return null;
  const storedBefore = new Date(eventLog.now().getTime() - recentlyStoredMs);
  for (const sha256 of files) if (!(await blobs.delete(sha256, storedBefore))) return null;
  return (await aggregate.execute(command, { ...causedBy(first, 'sweeper'), causationId: last.id })).position;
};

const maxNamedFailures = 5;

const describeFailures = (model: string, failures: readonly string[]): string =>
  `${failures.length} failures with ${model}: ${failures.slice(0, maxNamedFailures).join('; ')}` +
  (failures.length > maxNamedFailures ? '; and more' : '');

/**
 * Erases the data of all documents of a read model whose time in the field `by` has come, oldest first. `erase` returns null
 * if there is nothing to erase. A failure does not prevent other erasures. Returns how many documents were erased.
 * @throws Error with the failures, after all other erasures
 */
const eraseDue = async (
  { eventLog, reads, signal }: ErasureDependencies,
  model: string,
  by: string,
  erase: (document: { id: string }, position: number) => Promise<number | null>,
): Promise<number> => {
  const query = { where: {}, range: { by, before: eventLog.now().toISOString() }, sort: { by, descending: false } };
  const failures: string[] = [];
  let erased = 0;
  for (let remaining = 0; !signal?.aborted;) {
    // Then it knows which files other renders keep, and what is erased has left it.
    const head = await eventLog.store.head();
    if (!(await reads.waitForCheckpoint(model, head, readModelTimeoutMs))) {
      failures.push('the read model is behind the event log');
      break;
    }
    const page = (await reads.find(model, { ...query, limit: pageSize, skip: remaining })) as { id: string }[];
    for (let from = 0; from < page.length && !signal?.aborted; from += eraseConcurrency) {
      const documents = page.slice(from, from + eraseConcurrency);
      const outcomes = await Promise.allSettled(documents.map((document) => erase(document, head)));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') failures.push(`${documents[index]!.id}: ${outcome.reason}`);
        if (outcome.status === 'fulfilled' && outcome.value !== null) erased += 1;
        else remaining += 1;
      }
    }
    if (page.length < pageSize) break;
  }
  if (failures.length > 0) throw new Error(describeFailures(model, failures));
  return erased;
};

/** Erases all PDFs whose time is over. Returns how many. */
export const eraseExpiredPdfs = (dependencies: ErasureDependencies): Promise<number> =>
  eraseDue(dependencies, readModels.renders, 'keptUntil', (document, position) =>
    erasePdf(dependencies, document as RenderDocument, position),
  );

/** Erases the sealed headers and cookies for pages whose render has ended. Returns for how many renders. */
export const eraseRenderedPageSecrets = (dependencies: ErasureDependencies): Promise<number> =>
  eraseDue(dependencies, readModels.renders, 'secretsErasableSince', async ({ id }) => {
    const { last, aggregate } = await loadKnown(dependencies.eventLog, render, streams.render(id));
    return erasePageSecrets(dependencies.blobs, aggregate, causedBy(last, 'sweeper'));
  });

/** Erases the sealed webhook targets of deliveries that have ended. Returns how many. */
export const eraseDeliveryTargets = (dependencies: ErasureDependencies): Promise<number> =>
  eraseDue(dependencies, readModels.deliveries, 'erasableSince', async ({ id }) => {
    const { last, aggregate } = await loadKnown(dependencies.eventLog, delivery, streams.delivery(id));
    return eraseTarget(dependencies.blobs, aggregate, causedBy(last, 'sweeper'));
  });
