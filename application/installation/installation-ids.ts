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
/** `setting` is the variable with its URL, for messages. */
export type ConfiguredEngine = { kind: InstallationEngineKind; setting: string; engine: EngineWithInstallationId };

/**
 * A blob store has an id of its own, `<installation id>/<own id>`, so that a second blob store of the installation is
 * noticed.
 */
const newBlobStoreId = (id: string): string => `${id}/${newId()}`;
const installationIdIn = (storedId: string): string => storedId.split('/')[0]!;

type InstallationIdentity = Pick<CreatedInstallation, 'id' | 'blobStoreId'>;

/** The owner of an engine with this stored id. */
export const ownershipOf = (
  kind: InstallationEngineKind,
  storedId: string | null,
  { id, blobStoreId }: InstallationIdentity,
): 'own' | 'none' | 'other' => {
  if (storedId === null) return 'none';
  if (kind === 'blobs' && blobStoreId !== null) return storedId === blobStoreId ? 'own' : 'other';
  return installationIdIn(storedId) === id ? 'own' : 'other';
};

/** Bus and read models can be rebuilt from the event log; blobs cannot. */
const otherInstallationMessage = ({ kind, setting }: ConfiguredEngine, found: string, id: string): string =>
  `${setting} leads to the ${kind} of another installation (${installationIdIn(found)}). ` +
  `The event log at EVENT_STORE_URL belongs to installation ${id}. ` +
  `Correct the wrong setting. The event log may be the wrong one, or a new one. ` +
  (kind === 'blobs'
    ? `If the blobs of installation ${id} are lost for good, set ${setting} to an empty blob store ` +
      'and run "colophon installation accept-blobs".'
    : `Or set ${setting} to an empty store: the service fills it from the event log.`);

const acceptBlobsConsequence =
  '"colophon installation accept-blobs" accepts this one. Templates, inputs and PDFs that are neither in it ' +
  'nor in the event log are lost.';

const missingIdMessage = ({ setting }: ConfiguredEngine, id: string): string =>
  `${setting} leads to a blob store without the id of this installation (${id}). ` +
  'Mount the right folder, correct the setting, or restore the blobs from the backup. ' +
  `If they are lost for good, ${acceptBlobsConsequence}`;

const secondBlobStoreMessage = (
  { setting }: ConfiguredEngine,
  found: string,
  { id, blobStoreId }: InstallationIdentity,
): string =>
  `${setting} leads to a second blob store of this installation (${id}). Its id is ${found}; ` +
  `the event log names ${blobStoreId}. All processes need the same blob store. ` +
  `If the other one is lost for good, ${acceptBlobsConsequence}`;

/** Why an engine with this stored id cannot be used; null if it can. */
const mismatchMessage = (engine: ConfiguredEngine, found: string | null, of: InstallationIdentity): string | null => {
  if (found !== null && installationIdIn(found) !== of.id) return otherInstallationMessage(engine, found, of.id);
  if (engine.kind !== 'blobs' || of.blobStoreId === null || found === of.blobStoreId) return null;
  return found === null ? missingIdMessage(engine, of.id) : secondBlobStoreMessage(engine, found, of);
};

const throwIfAny = (mismatches: readonly (string | null)[]): void => {
  const messages = mismatches.filter((message) => message !== null);
  if (messages.length > 0) throw new SettingsError(messages.join('\n'));
};

/**
 * Checks that all engines belong to the installation, then sets its id on those without one. Only a registered blob
 * store must have an id already. All steps are idempotent. If several blob stores get an id at once, the event log
 * names one of them.
 * @throws SettingsError with a message for each engine of another installation and for a second blob store
 */
export const ensureInstallationIds = async (
  aggregate: InstallationAggregate,
  engines: readonly ConfiguredEngine[],
  actor: Actor,
): Promise<void> => {
  const { id } = requireCreated(aggregate);
  const storedIds = await Promise.all(engines.map(({ engine }) => engine.installationId()));
  throwIfAny(engines.map((engine, index) => mismatchMessage(engine, storedIds[index]!, requireCreated(aggregate))));
  for (const [index, configured] of engines.entries()) {
    const { kind, engine } = configured;
    const storedId = storedIds[index] ?? (await engine.setInstallationId(kind === 'blobs' ? newBlobStoreId(id) : id));
    if (kind === 'blobs' && installationIdIn(storedId) === id)
      await aggregate.execute({ type: 'registerBlobStore', blobStoreId: storedId }, newCause(actor, null));
    throwIfAny([mismatchMessage(configured, storedId, requireCreated(aggregate))]);
  }
};

/** Accepts the blob store of the settings in place of the registered one. False if it is the registered one. */
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
