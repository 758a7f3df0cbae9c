import { eraseTarget } from '#application/deliveries/target.ts';
import { causedBy, loadAggregate, type EventLog } from '#application/command-handling/aggregate.ts';
import { erasePageSecrets } from '#application/renders/page-secrets.ts';
import { readModels, streams } from '#contracts/names.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { delivery } from '#libs/domain/delivery.ts';
import { render } from '#libs/domain/render.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import type { Query, ReadStore } from '#libs/read-store/port.ts';

export type ErasureDependencies = { eventLog: EventLog; reads: ReadStore; blobs: BlobStore };

const pageSize = 500;
const eraseConcurrency = 20;
const readModelTimeoutMs = 5_000;

type StoredFile = 'pdf' | 'thumbnail';

/** A range, not an equality: with that, SQLite reads all renders in the order of their ids. Hashes have one length. */
export const rendersOfFile = (file: StoredFile, sha256: string): Query => ({
  where: {},
  range: { by: `${file}.sha256`, from: sha256, before: `${sha256}0` },
  sort: { by: `${file}.sha256`, descending: false },
  limit: pageSize,
});

const isKeptByAnotherRender = async (
  { reads, eventLog }: ErasureDependencies,
  id: string,
  file: StoredFile,
  sha256: string,
): Promise<boolean> => {
  const withSameFile = (await reads.find(readModels.renders, rendersOfFile(file, sha256))) as RenderDocument[];
  return withSameFile.some(
    (other) => other.id !== id && other.keptUntil !== null && new Date(other.keptUntil) > eventLog.now(),
  );
};

const eraseFile = async (
  dependencies: ErasureDependencies,
  document: RenderDocument,
  file: StoredFile,
): Promise<void> => {
  const sha256 = document[file]?.sha256;
  if (sha256 !== undefined && !(await isKeptByAnotherRender(dependencies, document.id, file, sha256)))
    await dependencies.blobs.delete(sha256);
};

/**
 * Erases one PDF with its thumbnail. Returns the position of its PdfErased event. The event comes last, so the next sweep repeats an
 * erasure that a crash interrupted.
 */
const erasePdf = async (dependencies: ErasureDependencies, document: RenderDocument): Promise<number> => {
  await eraseFile(dependencies, document, 'thumbnail');
  await eraseFile(dependencies, document, 'pdf');
  const { history, aggregate } = await loadAggregate(dependencies.eventLog, render, streams.render(document.id));
  const { accountId, correlationId, traceparent } = history[0]!.metadata;
  const cause = {
    actor: { kind: 'service' as const, name: 'sweeper' },
    accountId,
    correlationId,
    causationId: history.at(-1)!.id,
    traceparent,
  };
  const { position } = await aggregate.execute({ type: 'erasePdf' }, cause);
  return position ?? history.at(-1)!.position;
};

/** Erases all PDFs whose time is over. Returns how many. */
export const eraseExpiredPdfs = async (dependencies: ErasureDependencies): Promise<number> => {
  const { eventLog, reads } = dependencies;
  const range = { by: 'keptUntil', before: eventLog.now().toISOString() };
  for (let erased = 0; ;) {
    const expired = (await reads.find(readModels.renders, {
      where: {},
      range,
      sort: { by: 'keptUntil', descending: false },
      limit: pageSize,
    })) as RenderDocument[];
    let position = 0;
    for (let from = 0; from < expired.length; from += eraseConcurrency)
      position = Math.max(
        position,
        ...(await Promise.all(
          expired.slice(from, from + eraseConcurrency).map((document) => erasePdf(dependencies, document)),
        )),
      );
    erased += expired.length;
    // The next page is read when this one has left the read model. If that takes long, the next sweep continues.
    if (expired.length < pageSize || !(await reads.waitForCheckpoint(readModels.renders, position, readModelTimeoutMs)))
      return erased;
  }
};

/** Only crashes leave secrets here, because renderer and delivery worker erase them themselves. More wait for the next sweep. */
const maxErasablePerSweep = 500;

/** The documents of a read model whose time in the field `by` has come, oldest first. */
const findErasable = async (
  { eventLog, reads }: Pick<ErasureDependencies, 'eventLog' | 'reads'>,
  model: string,
  by: string,
): Promise<{ id: string }[]> =>
  (await reads.find(model, {
    where: {},
    range: { by, before: eventLog.now().toISOString() },
    sort: { by, descending: false },
    limit: maxErasablePerSweep,
  })) as { id: string }[];

/** Erases the sealed headers and cookies for pages whose render has ended. */
export const eraseRenderedPageSecrets = async (dependencies: ErasureDependencies): Promise<void> => {
  const { eventLog, blobs } = dependencies;
  for (const { id } of await findErasable(dependencies, readModels.renders, 'secretsErasableSince')) {
    const { history, aggregate } = await loadAggregate(eventLog, render, streams.render(id));
    await erasePageSecrets(blobs, aggregate, causedBy(history.at(-1)!, 'sweeper'));
  }
};

/** Erases the sealed webhook targets of deliveries that have ended. */
export const eraseDeliveryTargets = async (dependencies: ErasureDependencies): Promise<void> => {
  const { eventLog, blobs } = dependencies;
  for (const { id } of await findErasable(dependencies, readModels.deliveries, 'erasableSince')) {
    const { history, aggregate } = await loadAggregate(eventLog, delivery, streams.delivery(id));
    await eraseTarget(blobs, aggregate, causedBy(history.at(-1)!, 'sweeper'));
  }
};
