import type { Actor } from '#contracts/events/metadata.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { newId } from '#libs/ids/new-id.ts';
import { causeOf } from '#application/handling/handle.ts';
import { type Created, createdIn, type Installation } from './secret.ts';

/** An engine whose storage belongs to one installation. */
export type Marked = { mark(): Promise<string | null>; setMark(installation: string): Promise<string> };
export type MarkedPart = 'blobs' | 'bus' | 'read models';
/** `setting` is where its address stands. */
export type MarkedEngine = { part: MarkedPart; setting: string; engine: Marked };

/** A blob store has a mark of its own, which begins with the installation: two stores are never both taken for the one that the log names. */
const newBlobMark = (id: string): string => `${id}/${newId()}`;
const installationIn = (mark: string): string => mark.split('/')[0]!;

type Of = Pick<Created, 'id' | 'blobStoreMark'>;

/** To which installation an engine with this mark belongs. */
export const belongingOf = (part: MarkedPart, mark: string | null, { id, blobStoreMark }: Of): 'own' | 'none' | 'other' => {
  if (mark === null) return 'none';
  if (part === 'blobs' && blobStoreMark !== null) return mark === blobStoreMark ? 'own' : 'other';
  return installationIn(mark) === id ? 'own' : 'other';
};

/** The engine belongs to another installation. Bus and read models can be built anew from the log; blobs cannot. */
const foreign = ({ part, setting }: MarkedEngine, found: string, id: string): string =>
  `${setting} leads to the ${part} of another installation (${installationIn(found)}); the event log that EVENT_STORE_URL names is that of ${id}. ` +
  `Correct the setting that is wrong; the log may be the wrong one, or a new one. ` +
  (part === 'blobs'
    ? `If installation ${id} has lost its own blobs for good, name an empty place in ${setting} and run "colophon installation accept-blobs".`
    : `Or name an empty place in ${setting}: the service fills it from the log.`);

const whatAcceptingLoses = '"colophon installation accept-blobs" accepts this one; templates, inputs and PDFs that are not in it are gone.';

const lost = ({ setting }: MarkedEngine, id: string): string =>
  `${setting} leads to a blob store without the mark of this installation (${id}), but its blobs have one. Mount the right folder, or correct the setting, or restore the blobs from the backup. ` +
  `If they are lost for good, ${whatAcceptingLoses}`;

const second = ({ setting }: MarkedEngine, found: string, { id, blobStoreMark }: Of): string =>
  `${setting} leads to a second blob store of this installation (${id}): its mark is ${found}, and the event log names the one with the mark ${blobStoreMark}. All processes need the same one: mount the same folder, or name the same place. ` +
  `If the other one is lost for good, ${whatAcceptingLoses}`;

/** What is wrong with an engine that has this mark; null where nothing is. */
const complaintOf = (engine: MarkedEngine, found: string | null, of: Of): string | null => {
  if (found !== null && installationIn(found) !== of.id) return foreign(engine, found, of.id);
  if (engine.part !== 'blobs' || of.blobStoreMark === null || found === of.blobStoreMark) return null;
  return found === null ? lost(engine, of.id) : second(engine, found, of);
};

const requireNone = (complaints: readonly (string | null)[]): void => {
  const told = complaints.filter((one) => one !== null);
  if (told.length > 0) throw new SettingsError(told.join('\n'));
};

/**
 * Makes sure that engines belong to the installation of the log, and lets those without a mark belong to it: all are looked at before any is changed. Blobs that had a mark and have
 * none are others; the rest is built anew from the log. Each step may be repeated; of several blob stores that are marked at once the log names one.
 * @throws SettingsError that names each engine that is another installation's, or a second blob store
 */
export const settleMarks = async (aggregate: Installation, engines: readonly MarkedEngine[], actor: Actor): Promise<void> => {
  const { id } = createdIn(aggregate);
  const seen = await Promise.all(engines.map(async (one) => ({ one, found: await one.engine.mark() })));
  requireNone(seen.map(({ one, found }) => complaintOf(one, found, createdIn(aggregate))));
  for (const { one, found } of seen) {
    const mark = found ?? (await one.engine.setMark(one.part === 'blobs' ? newBlobMark(id) : id));
    if (one.part === 'blobs' && installationIn(mark) === id) await aggregate.execute({ type: 'noteBlobStoreMark', mark }, causeOf(actor, null));
    requireNone([complaintOf(one, mark, createdIn(aggregate))]);
  }
};

/** Takes the blob store of the settings in the place of the one that the log names. False where there is nothing to accept. */
export const acceptBlobStore = async (aggregate: Installation, blobs: MarkedEngine, actor: Actor): Promise<boolean> => {
  const { id, blobStoreMark } = createdIn(aggregate);
  const found = await blobs.engine.mark();
  if (found !== null && installationIn(found) !== id) throw new SettingsError(foreign(blobs, found, id));
  if (found === blobStoreMark || blobStoreMark === null) return false;
  await aggregate.execute({ type: 'replaceBlobStore' }, causeOf(actor, null));
  await settleMarks(aggregate, [blobs], actor);
  return true;
};
