import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from '#libs/config/settings.ts';
import { isFailure } from '#libs/engines/decorators.ts';
import { AddressError, isRemote } from '#libs/engines/remote.ts';
import { settingOf } from '#application/installation/marked-engines.ts';
import { type Marked, type MarkedEngine, type MarkedPart, settleMarks } from '#application/installation/marks.ts';
import { settleSecret } from '#application/installation/secret.ts';
import type { House } from './process-context.ts';
import type { Role } from './running.ts';

/** What each role works with, beside the event log. */
const partsOf: Record<Role, readonly MarkedPart[]> = {
  api: ['blobs', 'bus', 'read models'],
  renderer: ['blobs', 'bus'],
  delivery: ['blobs', 'bus', 'read models'],
  relay: ['bus', 'read models'],
  projector: ['read models'],
  sweeper: ['blobs', 'read models'],
};

const actor = { kind: 'service', name: 'start' } as const;
const retryEveryMs = 500;

const enginesOf = async ({ roles, engines, settings }: House): Promise<MarkedEngine[]> => {
  const openers: Record<MarkedPart, () => Promise<object>> = { blobs: () => engines.blobs(), bus: () => engines.bus(), 'read models': () => engines.reads() };
  const parts = new Set(roles.flatMap((role) => partsOf[role]));
  const opened = await Promise.all([...parts].map(async (part) => ({ part, setting: settingOf(part, settings), engine: await openers[part]() })));
  return opened.flatMap(({ engine, ...one }) => ('mark' in engine ? [{ ...one, engine: engine as Marked }] : []));
};

/** Whether an engine may have been away, so that it is worth asking again. */
const mayPass = (error: unknown, engines: readonly object[]): boolean => !(error instanceof SettingsError || error instanceof AddressError) && isFailure(error) && engines.some(isRemote);

/**
 * Makes sure that this process has the secret and the engines of one installation; waits for engines that are away. `onSecret` is called as soon as it has the secret.
 * @throws SettingsError where they belong to another installation; whatever went wrong once `signal` aborts
 */
export const settleInstallation = async (house: House, signal: AbortSignal, onSecret: () => void): Promise<void> => {
  const { engines, settings, now, report } = house;
  const [store, marked] = await Promise.all([engines.store(), enginesOf(house)]);
  for (;;) {
    try {
      const installation = await settleSecret({ store, now }, settings, actor);
      onSecret();
      return await settleMarks(installation, marked, actor);
    } catch (error) {
      if (signal.aborted || !mayPass(error, [store, ...marked.map(({ engine }) => engine)])) throw error;
      report({ missing: engines.missing(), error: String(error) }, 'it could not be seen whether the engines are those of this installation; it is tried again');
      await sleep(retryEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }
};
