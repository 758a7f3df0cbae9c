import type { Actor } from '#contracts/events/metadata.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { causeOf, createdIn, type Installation } from './settle-secret.ts';

/** An engine whose storage belongs to one installation. */
export type Marked = { mark(): Promise<string | null>; setMark(installation: string): Promise<string> };
export type MarkedPart = 'blobs' | 'bus' | 'read models' | 'limits';
/** `setting` is where its address stands. */
export type MarkedEngine = { part: MarkedPart; setting: string; engine: Marked };

/** What only the log, and nothing else, can be built anew from cannot be exchanged unseen. */
const foreign = ({ part, setting }: MarkedEngine, found: string, id: string): string =>
  `${setting} leads to the ${part} of another installation (${found}); the event log that EVENT_STORE_URL names is that of ${id}. ` +
  `Point both at the same installation: the log may be the wrong one, or a new one. Or name an empty place in ${setting}${part === 'blobs' ? '' : '; it is filled from the log'}.`;

const lost = ({ setting }: MarkedEngine, id: string): string =>
  `${setting} leads to a blob store without the mark of this installation (${id}), which its blobs had. Mount the right folder or name the right place, or restore the blobs from the backup. ` +
  'If they are lost for good, "colophon installation accept-blobs" takes this one in their place; templates, inputs and PDFs that are not in it are gone.';

/**
 * Makes sure that engines belong to the installation of the log, and lets those without a mark belong to it: all are looked at before any is changed. Blobs that had a mark and have
 * none are others; the rest is built anew from the log. Each step may be repeated.
 * @throws SettingsError that names each engine that is another installation's
 */
export const settleMarks = async (aggregate: Installation, engines: readonly MarkedEngine[], actor: Actor): Promise<void> => {
  const { id, blobStoreMarked } = createdIn(aggregate);
  const seen = await Promise.all(engines.map(async (one) => ({ ...one, found: await one.engine.mark() })));
  const complaints = seen.flatMap((one) => {
    if (one.found !== null) return one.found === id ? [] : [foreign(one, one.found, id)];
    return one.part === 'blobs' && blobStoreMarked ? [lost(one, id)] : [];
  });
  if (complaints.length > 0) throw new SettingsError(complaints.join('\n'));
  for (const one of seen.filter(({ found }) => found === null)) {
    const found = await one.engine.setMark(id);
    if (found !== id) throw new SettingsError(foreign(one, found, id));
  }
  if (engines.some(({ part }) => part === 'blobs')) await aggregate.execute({ type: 'noteBlobStoreMark' }, causeOf(actor));
};

/** Takes a blob store without a mark in the place of the one that was marked. False where there is nothing to accept. */
export const acceptBlobStore = async (aggregate: Installation, blobs: MarkedEngine, actor: Actor): Promise<boolean> => {
  const { id, blobStoreMarked } = createdIn(aggregate);
  const found = await blobs.engine.mark();
  if (found !== null && found !== id) throw new SettingsError(foreign(blobs, found, id));
  if (found === id || !blobStoreMarked) return false;
  await aggregate.execute({ type: 'replaceBlobStore' }, causeOf(actor));
  await settleMarks(aggregate, [blobs], actor);
  return true;
};
