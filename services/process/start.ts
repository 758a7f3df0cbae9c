import type { AddressInfo } from 'node:net';
import { type FirstSteps, openDefaultAccount } from '#application/accounts/default-account.ts';
import { sharingOf, wrongRoles } from '#libs/config/combinations.ts';
import { loadSettings, type Settings, SettingsError } from '#libs/config/settings.ts';
import { DiskRefusal } from '#libs/disk/disk.ts';
import { pathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { beOnlyProcess } from '#libs/engines/only-process.ts';
import { AddressError, isRemote } from '#libs/engines/remote.ts';
import { DamagedFile } from '#libs/engines/sound-files.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { createLog } from '#libs/telemetry/log.ts';
import { startTelemetry } from '#libs/telemetry/start.ts';
import { startApi } from './api.ts';
import { startHealthServer, watchReadiness, watchReady } from './health-server.ts';
import { settleInstallation } from './installation.ts';
import { type LogWatch, readModelsCaughtUp, watchLog } from './log-watch.ts';
import { type House, openHouse, packageVersion } from './process-context.ts';
import { type Role, roles as allRoles, type Running } from './running.ts';
import { startDelivery, startProjector, startRelay, startRenderer, startSweeper } from './workers.ts';

const repeatMs = 1_000;

/**
 * Resolves with the signal's name when the process is told to stop; told again, it stops at once. The same signal often comes
 * twice at the same moment, by way of the process group and of npm: that is one telling.
 */
const stopped = (): Promise<string> =>
  new Promise((resolve) => {
    let toldAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (toldAt !== undefined && performance.now() - toldAt > repeatMs) process.exit(1);
        toldAt ??= performance.now();
        resolve(signal);
      });
    }
  });

const starters = { renderer: startRenderer, delivery: startDelivery, relay: startRelay, projector: startProjector, sweeper: startSweeper } satisfies Record<Exclude<Role, 'api'>, (house: House) => Promise<Running>>;

type Worker = keyof typeof starters;

/** What the process is at. */
type State = { stopping: boolean; installation: boolean; readModels: boolean; workers: Map<Worker, Running>; starting: Promise<unknown>; log: LogWatch | null };

const workersOf = ({ roles }: House): Worker[] => roles.filter((role) => role !== 'api');

/** They go by checkpoints, and wait for an event log that is as far as those. */
const followers: ReadonlySet<Role> = new Set(['relay', 'projector', 'sweeper']);

/** Starts the workers; resolves when all are up. Each promise of `ended` rejects where a worker does not come up or cannot go on. */
const startWorkers = (house: House, state: State, settled: Promise<boolean>): { up: Promise<unknown>; ended: Promise<void>[] } => {
  const begin = async (name: Worker): Promise<Running | null> => {
    if (!(await settled)) return null;
    if (followers.has(name) && !(await state.log?.whole)) return null;
    const running = await starters[name](house);
    state.workers.set(name, running);
    return running;
  };
  const starts = workersOf(house).map(begin);
  state.starting = Promise.allSettled(starts);
  return { up: Promise.all(starts), ended: starts.map(async (starting) => (await starting)?.ended) };
};

/** The renderer first: callers may still wait for it, and what it completes is to be carried on. */
const stopWorkers = async ({ workers, starting }: State): Promise<void> => {
  // Whoever came up only now would work on, in a process that has nothing left to work with.
  await starting;
  await workers.get('renderer')?.stop();
  await Promise.all([...workers.values()].map((one) => one.stop()));
};

const missingIn = (house: House, { stopping, installation, readModels, workers, log }: State): string[] => [
  ...(stopping ? ['the service is stopping'] : []),
  ...house.engines.missing(),
  ...house.engines.damaged(),
  ...house.unreadableBlobs.missing(),
  ...(installation ? [] : ['the process has not yet checked that its engines belong to this installation']),
  ...[log?.missing() ?? []].flat(),
  ...(house.roles.includes('api') && !readModels ? ['the read models are not there yet'] : []),
  ...workersOf(house).flatMap((name) => workers.get(name)?.missing() ?? [`the ${name} is starting`]),
];

/** On the very first start of everything together, an account to begin with. Several processes would each make their own. */
const firstSteps = async ({ engines, roles, now }: House) => {
  if (roles.length < allRoles.length) return null;
  const [store, reads, blobs] = await Promise.all([engines.store(), engines.reads(), engines.blobs()]);
  const first = await openDefaultAccount({ store, now }, reads, blobs);
  await catchUp(store, reads, projections);
  return first;
};

const isEmbedded = async ({ engines }: House): Promise<boolean> => !(await Promise.all([engines.store(), engines.reads(), engines.blobs()])).some(isRemote);

const unserved = 'The service is starting. Try again in a moment.';
const olderLog = 'The event log is older than the data that was built from it, so the service can accept nothing. The operator of the service has to run "colophon rebuild".';

/** Why callers are not served now; null when they are. */
const closedTo = ({ log, readModels }: State): string | null => {
  if (log?.missing()) return olderLog;
  return readModels ? null : unserved;
};

/** What a process waits for before it works: its secret, and engines that are known to be its installation's. `settled` resolves to false when the process is to stop before. */
type Beginnings = { secret: Promise<void>; settled: Promise<boolean> };

const begin = (house: House, state: State, stop: AbortSignal): Beginnings => {
  const secret = Promise.withResolvers<void>();
  const stopping = new Promise<false>((resolve) => stop.addEventListener('abort', () => resolve(false), { once: true }));
  const settling = settleInstallation(house, stop, secret.resolve).then(() => (state.installation = !stop.aborted));
  return { secret: secret.promise, settled: Promise.race([settling, stopping]) };
};

type Face = { stop(): Promise<void>; address(): AddressInfo | string | null };

/** Listens. Engines on servers may be away for now, and the event log may be older than the read models, which the process tells when it is asked; where the engines are in this process, nothing is served from read models that are behind. */
const startFace = async (house: House, state: State, { secret, settled }: Beginnings, reading: Promise<unknown>): Promise<Face> => {
  const missing = (): string[] => missingIn(house, state);
  if (!house.roles.includes('api')) return startHealthServer(house.settings, house.telemetry, missing);
  // A log on a server may be away; the secret is in the settings then.
  if (!isRemote(await house.engines.store())) await Promise.race([secret, settled]);
  if (await isEmbedded(house)) await settled;
  if (house.roles.includes('projector') && (await isEmbedded(house)) && (await state.log?.compared) === null) await reading;
  return startApi(house, () => closedTo(state), missing);
};

/** Greets when there is something to be greeted to. */
const greet = async (house: House, state: State, face: Face, reading: Promise<boolean>, announce: Announce): Promise<void> => {
  if (!house.roles.includes('api') || !(await reading)) return;
  const first = await firstSteps(house);
  state.readModels = true;
  announce.serving(house.settings, face.address(), first);
};

/** Brings everything up; resolves when the process is told to stop, or cannot go on. */
const serve = async (house: House, state: State, stop: AbortSignal, parts: { face?: Face }, announce: Announce): Promise<Error | null> => {
  if (house.roles.some((role) => role === 'api' || followers.has(role))) state.log = watchLog(house, stop);
  const beginnings = begin(house, state, stop);
  const whole = beginnings.settled.then((settled) => settled && state.log?.whole);
  const reading = house.roles.includes('api') ? whole.then((there) => there === true && readModelsCaughtUp(house, stop)) : Promise.resolve(true);
  for (const promise of [whole, reading]) promise.catch(() => undefined);
  const face = startFace(house, state, beginnings, reading).then((up) => {
    parts.face = up;
    // Workers may wait for engines that are away, and can be asked why.
    if (!house.roles.includes('api')) announce.healthOnly(house.roles, house.settings, up.address());
    return up;
  });
  const workers = startWorkers(house, state, beginnings.settled);
  const failures = [Promise.all([face, workers.up]).then(([up]) => greet(house, state, up, reading, announce)), ...workers.ended];
  const endless = new Promise<never>(() => undefined);
  return Promise.race(failures.map((end) => end.then(() => endless, (error: unknown) => error as Error)));
};

/** What the person who started the process is told: that callers are served, on the very first start with the default account; or that only health is told. */
export type Announce = {
  serving(settings: Settings, address: AddressInfo | string | null, first: FirstSteps | null): void;
  healthOnly(roles: readonly Role[], settings: Settings, address: AddressInfo | string | null): void;
};

const forPeople = [AddressError, SettingsError, DiskRefusal, DamagedFile];

/** Runs the named roles of the service in this process, or all, until it is told to stop; then lets what runs finish. */
export const start = async (wanted: readonly Role[], announce: Announce): Promise<void> => {
  const settings = loadSettings(process.env);
  const roles = wanted.length === 0 ? allRoles : allRoles.filter((role) => wanted.includes(role));
  const wrong = roles.length < allRoles.length ? wrongRoles(settings, wanted) : null;
  if (wrong !== null) throw new SettingsError(wrong);
  const release = beOnlyProcess(settings);
  const logger = createLog(settings);
  const { restricted, left } = restrictPermissions(pathsOf(settings, settings.secret === undefined));
  if (restricted.length > 0) logger.warn({ restricted }, 'took the permissions of other users from files or folders');
  if (left.length > 0) logger.warn({ left }, 'files or folders stay open to other users or to a group: another user owns them, they also hold other things, or they are links');
  const toldToStop = stopped();
  const house = openHouse(settings, logger, await startTelemetry(settings, roles, packageVersion(), logger), roles);
  const state: State = { stopping: false, installation: false, readModels: false, workers: new Map(), starting: Promise.resolve(), log: null };
  logger.info(sharingOf(settings));
  const parts: { face?: Face } = {};
  const stop = new AbortController();
  const unwatch = watchReady(() => missingIn(house, state));
  const readiness = watchReadiness(() => missingIn(house, state), logger);
  try {
    const reason = await Promise.race([toldToStop, serve(house, state, stop.signal, parts, announce)]);
    if (typeof reason !== 'string') throw reason;
    logger.info({ reason }, 'stopping: what runs is finished first');
  } catch (error) {
    process.exitCode = 1;
    if (forPeople.some((kind) => error instanceof kind)) logger.fatal((error as Error).message);
    else logger.fatal({ err: error }, 'the service cannot go on');
  }
  state.stopping = true;
  stop.abort();
  readiness.stop();
  await parts.face?.stop();
  await stopWorkers(state);
  unwatch();
  await house.close();
  release();
  logger.info('stopped');
};
