import type { Actor } from '#contracts/events/metadata.ts';
import { SettingsError } from '#libs/config/settings.ts';
import { newId } from '#libs/ids/ulids.ts';
import { newCause } from '#application/command-handling/aggregate.ts';
import { type CreatedInstallation, requireCreated, type InstallationAggregate } from './secret.ts';

/** An engine whose storage belongs to one installation. */
export type EngineWithInstallationId = {
  installationId(): Promise<string | null>;
  setInstallationId(installation: string): Promise<string>;
};
export type InstallationEngineKind = 'blobs' | 'bus' | 'read models';
/** `setting` is where its address stands. */
export type ConfiguredEngine = { kind: InstallationEngineKind; setting: string; engine: EngineWithInstallationId };

/** A blob store has a mark of its own, which begins with the installation: two stores are never both taken for the one that the log names. */
const newBlobStoreId = (id: string): string => `${id}/${newId()}`;
const installationIdIn = (mark: string): string => mark.split('/')[0]!;

type InstallationIdentity = Pick<CreatedInstallation, 'id' | 'blobStoreId'>;

/** To which installation an engine with this mark belongs. */
export const ownershipOf = (
  part: InstallationEngineKind,
  mark: string | null,
  { id, blobStoreId }: InstallationIdentity,
): 'own' | 'none' | 'other' => {
  if (mark === null) return 'none';
  if (part === 'blobs' && blobStoreId !== null) return mark === blobStoreId ? 'own' : 'other';
  return installationIdIn(mark) === id ? 'own' : 'other';
};

/** The engine belongs to another installation. Bus and read models can be built anew from the log; blobs cannot. */
const otherInstallationMessage = ({ kind, setting }: ConfiguredEngine, found: string, id: string): string =>
  `${setting} leads to the ${kind} of another installation (${installationIdIn(found)}); the event eventLog that EVENT_STORE_URL names is that of ${id}. ` +
  `Correct the setting that is wrong; the log may be the wrong one, or a new one. ` +
  (kind === 'blobs'
    ? `If installation ${id} has lost its own blobs for good, name an empty place in ${setting} and run "colophon installation accept-blobs".`
    : `Or name an empty place in ${setting}: the service fills it from the eventLog.`);

const acceptBlobsConsequence =
  '"colophon installation accept-blobs" accepts this one; templates, inputs and PDFs that are not in it are gone.';

const missingIdMessage = ({ setting }: ConfiguredEngine, id: string): string =>
  `${setting} leads to a blob store without the mark of this installation (${id}), but its blobs have one. Mount the right folder, or correct the setting, or restore the blobs from the backup. ` +
  `If they are lost for good, ${acceptBlobsConsequence}`;

const secondBlobStoreMessage = (
  { setting }: ConfiguredEngine,
  found: string,
  { id, blobStoreId }: InstallationIdentity,
): string =>
  `${setting} leads to a second blob store of this installation (${id}): its mark is ${found}, and the event eventLog names the one with the mark ${blobStoreId}. All processes need the same one: mount the same folder, or name the same place. ` +
  `If the other one is lost for good, ${acceptBlobsConsequence}`;

/** What is wrong with an engine that has this mark; null where nothing is. */
const mismatchMessage = (engine: ConfiguredEngine, found: string | null, of: InstallationIdentity): string | null => {
  if (found !== null && installationIdIn(found) !== of.id) return otherInstallationMessage(engine, found, of.id);
  if (engine.kind !== 'blobs' || of.blobStoreId === null || found === of.blobStoreId) return null;
  return found === null ? missingIdMessage(engine, of.id) : secondBlobStoreMessage(engine, found, of);
};

const throwIfAny = (complaints: readonly (string | null)[]): void => {
  const told = complaints.filter((one) => one !== null);
  if (told.length > 0) throw new SettingsError(told.join('\n'));
};

/**
 * Makes sure that engines belong to the installation of the log, and lets those without a mark belong to it: all are looked at before any is changed. Blobs that had a mark and have
 * none are others; the rest is built anew from the log. Each step may be repeated; of several blob stores that are marked at once the log names one.
 * @throws SettingsError that names each engine that is another installation's, or a second blob store
 */
export const ensureInstallationIds = async (
  aggregate: InstallationAggregate,
  engines: readonly ConfiguredEngine[],
  actor: Actor,
): Promise<void> => {
  const { id } = requireCreated(aggregate);
  const seen = await Promise.all(engines.map(async (one) => ({ one, found: await one.engine.installationId() })));
  throwIfAny(seen.map(({ one, found }) => mismatchMessage(one, found, requireCreated(aggregate))));
  for (const { one, found } of seen) {
    const mark = found ?? (await one.engine.setInstallationId(one.kind === 'blobs' ? newBlobStoreId(id) : id));
    if (one.kind === 'blobs' && installationIdIn(mark) === id)
      await aggregate.execute({ type: 'registerBlobStore', blobStoreId: mark }, newCause(actor, null));
    throwIfAny([mismatchMessage(one, mark, requireCreated(aggregate))]);
  }
};

/** Takes the blob store of the settings in the place of the one that the log names. False where there is nothing to accept. */
export const acceptBlobStore = async (
  aggregate: InstallationAggregate,
  blobs: ConfiguredEngine,
  actor: Actor,
): Promise<boolean> => {
  const { id, blobStoreId } = requireCreated(aggregate);
  const found = await blobs.engine.installationId();
  if (found !== null && installationIdIn(found) !== id)
    throw new SettingsError(otherInstallationMessage(blobs, found, id));
  if (found === blobStoreId || blobStoreId === null) return false;
  await aggregate.execute({ type: 'replaceBlobStore' }, newCause(actor, null));
  await ensureInstallationIds(aggregate, [blobs], actor);
  return true;
};
