import type { AddressInfo } from 'node:net';
import { type DefaultAccount, openDefaultAccount } from '#application/accounts/default-account.ts';
import { describeProcessSharing, findRoleProblem } from '#libs/config/engine-combinations.ts';
import { loadSettings, type Settings, SettingsError } from '#libs/config/settings.ts';
import { DiskWriteError } from '#libs/disk/disk-monitor.ts';
import { storedPathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { requireOnlyProcess } from '#libs/engines/only-process.ts';
import { AddressError, isRemoteEngine } from '#libs/engines/remote.ts';
import { DamagedFileError } from '#libs/engines/damaged-files.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { createLogger } from '#libs/telemetry/logger.ts';
import { startTelemetry } from '#libs/telemetry/telemetry.ts';
import { startApi } from './api.ts';
import { startHealthServer, logReadiness, observeReadiness } from './health-server.ts';
import { ensureInstallation } from './installation.ts';
import { type EventLogWatch, waitForReadModels, watchEventLog } from './event-log-watch.ts';
import { type ProcessContext, openProcessContext, packageVersion } from './process-context.ts';
import { type Role, roles as allRoles, type RunningRole } from './running-role.ts';
import { startDeliveryWorker, startProjector, startRelay, startRenderer, startSweeper } from './workers.ts';

const repeatedSignalMs = 1_000;

/**
 * Resolves with the signal's name when the process is told to stop; told again, it stops at once. The same signal often comes
 * twice at the same moment, by way of the process group and of npm: that is one telling.
 */
const waitForStopSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let toldAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (toldAt !== undefined && performance.now() - toldAt > repeatedSignalMs) process.exit(1);
        toldAt ??= performance.now();
        resolve(signal);
      });
    }
  });

const starters = {
  renderer: startRenderer,
  delivery: startDeliveryWorker,
  relay: startRelay,
  projector: startProjector,
  sweeper: startSweeper,
} satisfies Record<Exclude<Role, 'api'>, (house: ProcessContext) => Promise<RunningRole>>;

type WorkerRole = keyof typeof starters;

/** What the process is at. */
type ProcessState = {
  stopping: boolean;
  isInstallationVerified: boolean;
  areReadModelsReady: boolean;
  workers: Map<WorkerRole, RunningRole>;
  starting: Promise<unknown>;
  eventLogWatch: EventLogWatch | null;
};

const workerRolesOf = ({ roles }: ProcessContext): WorkerRole[] => roles.filter((role) => role !== 'api');

/** They go by checkpoints, and wait for an event log that is as far as those. */
const rolesWithCheckpoints: ReadonlySet<Role> = new Set(['relay', 'projector', 'sweeper']);

/** Starts the workers; resolves when all are up. Each promise of `ended` rejects where a worker does not come up or cannot go on. */
const startWorkers = (
  house: ProcessContext,
  state: ProcessState,
  settled: Promise<boolean>,
): { up: Promise<unknown>; ended: Promise<void>[] } => {
  const begin = async (name: WorkerRole): Promise<RunningRole | null> => {
    if (!(await settled)) return null;
    if (rolesWithCheckpoints.has(name) && !(await state.eventLogWatch?.verified)) return null;
    const running = await starters[name](house);
    state.workers.set(name, running);
    return running;
  };
  const starts = workerRolesOf(house).map(begin);
  state.starting = Promise.allSettled(starts);
  return { up: Promise.all(starts), ended: starts.map(async (starting) => (await starting)?.ended) };
};

/** The renderer first: callers may still wait for it, and what it completes is to be carried on. */
const stopWorkers = async ({ workers, starting }: ProcessState): Promise<void> => {
  // Whoever came up only now would work on, in a process that has nothing left to work with.
  await starting;
  await workers.get('renderer')?.stop();
  await Promise.all([...workers.values()].map((one) => one.stop()));
};

const missingIn = (
  house: ProcessContext,
  { stopping, isInstallationVerified, areReadModelsReady, workers, eventLogWatch }: ProcessState,
): string[] => [
  ...(stopping ? ['the service is stopping'] : []),
  ...house.engines.missing(),
  ...house.engines.damages(),
  ...house.unreadableBlobs.missing(),
  ...(isInstallationVerified ? [] : ['the process has not yet checked that its engines belong to this installation']),
  ...[eventLogWatch?.missing() ?? []].flat(),
  ...(house.roles.includes('api') && !areReadModelsReady ? ['the read models are not there yet'] : []),
  ...workerRolesOf(house).flatMap((name) => workers.get(name)?.missing() ?? [`the ${name} is starting`]),
];

/** On the very first start of everything together, an account to begin with. Several processes would each make their own. */
const createDefaultAccount = async ({ engines, roles, now }: ProcessContext) => {
  if (roles.length < allRoles.length) return null;
  const [store, reads, blobs] = await Promise.all([engines.store(), engines.reads(), engines.blobs()]);
  const first = await openDefaultAccount({ store, now }, reads, blobs);
  await catchUp(store, reads, projections);
  return first;
};

const isEmbedded = async ({ engines }: ProcessContext): Promise<boolean> =>
  !(await Promise.all([engines.store(), engines.reads(), engines.blobs()])).some(isRemoteEngine);

const startingMessage = 'The service is starting. Try again in a moment.';
const olderLogMessage =
  'The event log is older than the data that was built from it, so the service can accept nothing. The operator of the service has to run "colophon rebuild".';

/** Why callers are not served now; null when they are. */
const closedReason = ({ eventLogWatch, areReadModelsReady }: ProcessState): string | null => {
  if (eventLogWatch?.missing()) return olderLogMessage;
  return areReadModelsReady ? null : startingMessage;
};

/** What a process waits for before it works: its secret, and engines that are known to be its installation's. `settled` resolves to false when the process is to stop before. */
type InstallationCheck = { secretReady: Promise<void>; verified: Promise<boolean> };

const startInstallationCheck = (house: ProcessContext, state: ProcessState, stop: AbortSignal): InstallationCheck => {
  const secret = Promise.withResolvers<void>();
  const stopping = new Promise<false>((resolve) =>
    stop.addEventListener('abort', () => resolve(false), { once: true }),
  );
  const settling = ensureInstallation(house, stop, secret.resolve).then(
    () => (state.isInstallationVerified = !stop.aborted),
  );
  return { secretReady: secret.promise, verified: Promise.race([settling, stopping]) };
};

type HttpServer = { stop(): Promise<void>; address(): AddressInfo | string | null };

/** Listens. Engines on servers may be away for now, and the event log may be older than the read models, which the process tells when it is asked; where the engines are in this process, nothing is served from read models that are behind. */
const startHttpServer = async (
  house: ProcessContext,
  state: ProcessState,
  { secretReady, verified }: InstallationCheck,
  reading: Promise<unknown>,
): Promise<HttpServer> => {
  const missing = (): string[] => missingIn(house, state);
  if (!house.roles.includes('api')) return startHealthServer(house.settings, house.telemetry, missing);
  // A log on a server may be away; the secret is in the settings then.
  if (!isRemoteEngine(await house.engines.store())) await Promise.race([secretReady, verified]);
  if (await isEmbedded(house)) await verified;
  if (
    house.roles.includes('projector') &&
    (await isEmbedded(house)) &&
    (await state.eventLogWatch?.firstCheck) === null
  )
    await reading;
  return startApi(house, () => closedReason(state), missing);
};

/** Greets when there is something to be greeted to. */
const announceServing = async (
  house: ProcessContext,
  state: ProcessState,
  face: HttpServer,
  reading: Promise<boolean>,
  announce: StartupAnnouncements,
): Promise<void> => {
  if (!house.roles.includes('api') || !(await reading)) return;
  const first = await createDefaultAccount(house);
  state.areReadModelsReady = true;
  announce.serving(house.settings, face.address(), first);
};

/** Brings everything up; resolves when the process is told to stop, or cannot go on. */
const runRoles = async (
  house: ProcessContext,
  state: ProcessState,
  stop: AbortSignal,
  parts: { face?: HttpServer },
  announce: StartupAnnouncements,
): Promise<Error | null> => {
  if (house.roles.some((role) => role === 'api' || rolesWithCheckpoints.has(role)))
    state.eventLogWatch = watchEventLog(house, stop);
  const beginnings = startInstallationCheck(house, state, stop);
  const whole = beginnings.verified.then((settled) => settled && state.eventLogWatch?.verified);
  const reading = house.roles.includes('api')
    ? whole.then((there) => there === true && waitForReadModels(house, stop))
    : Promise.resolve(true);
  for (const promise of [whole, reading]) promise.catch(() => undefined);
  const face = startHttpServer(house, state, beginnings, reading).then((up) => {
    parts.face = up;
    // Workers may wait for engines that are away, and can be asked why.
    if (!house.roles.includes('api')) announce.healthOnly(house.roles, house.settings, up.address());
    return up;
  });
  const workers = startWorkers(house, state, beginnings.verified);
  const failures = [
    Promise.all([face, workers.up]).then(([up]) => announceServing(house, state, up, reading, announce)),
    ...workers.ended,
  ];
  const endless = new Promise<never>(() => undefined);
  return Promise.race(
    failures.map((end) =>
      end.then(
        () => endless,
        (error: unknown) => error as Error,
      ),
    ),
  );
};

/** What the person who started the process is told: that callers are served, on the very first start with the default account; or that only health is told. */
export type StartupAnnouncements = {
  serving(settings: Settings, address: AddressInfo | string | null, first: DefaultAccount | null): void;
  healthOnly(roles: readonly Role[], settings: Settings, address: AddressInfo | string | null): void;
};

const expectedErrors = [AddressError, SettingsError, DiskWriteError, DamagedFileError];

/** Runs the named roles of the service in this process, or all, until it is told to stop; then lets what runs finish. */
export const start = async (wanted: readonly Role[], announce: StartupAnnouncements): Promise<void> => {
  const settings = loadSettings(process.env);
  const roles = wanted.length === 0 ? allRoles : allRoles.filter((role) => wanted.includes(role));
  const wrong = roles.length < allRoles.length ? findRoleProblem(settings, wanted) : null;
  if (wrong !== null) throw new SettingsError(wrong);
  const release = requireOnlyProcess(settings);
  const logger = createLogger(settings);
  const { restricted, unchanged } = restrictPermissions(storedPathsOf(settings, settings.secret === undefined));
  if (restricted.length > 0) logger.warn({ restricted }, 'took the permissions of other users from files or folders');
  if (unchanged.length > 0)
    logger.warn(
      { left: unchanged },
      'files or folders stay open to other users or to a group: another user owns them, they also hold other things, or they are links',
    );
  const toldToStop = waitForStopSignal();
  const house = openProcessContext(
    settings,
    logger,
    await startTelemetry(settings, roles, packageVersion(), logger),
    roles,
  );
  const state: ProcessState = {
    stopping: false,
    isInstallationVerified: false,
    areReadModelsReady: false,
    workers: new Map(),
    starting: Promise.resolve(),
    eventLogWatch: null,
  };
  logger.info(describeProcessSharing(settings));
  const parts: { face?: HttpServer } = {};
  const stop = new AbortController();
  const unwatch = observeReadiness(() => missingIn(house, state));
  const readiness = logReadiness(() => missingIn(house, state), logger);
  try {
    const reason = await Promise.race([toldToStop, runRoles(house, state, stop.signal, parts, announce)]);
    if (typeof reason !== 'string') throw reason;
    logger.info({ reason }, 'stopping: what runs is finished first');
  } catch (error) {
    process.exitCode = 1;
    if (expectedErrors.some((kind) => error instanceof kind)) logger.fatal((error as Error).message);
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
