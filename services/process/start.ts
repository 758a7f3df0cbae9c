import type { AddressInfo } from 'node:net';
import { type DefaultAccount, openDefaultAccount } from '#application/accounts/default-account.ts';
import { describeProcessSharing, findRoleProblem } from '#libs/config/engine-combinations.ts';
import { loadSettings, type Settings, SettingsError } from '#libs/config/settings.ts';
import type { Environment } from '#libs/config/setting-table.ts';
import { findUnknownVariables } from '#libs/config/unknown-variables.ts';
import { storedPathsOf, restrictPermissions } from '#libs/engines/file-permissions.ts';
import { requireOnlyProcess } from '#libs/engines/only-process.ts';
import { isRemoteEngine } from '#libs/engines/remote.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { createLogger } from '#libs/telemetry/logger.ts';
import { startTelemetry } from '#libs/telemetry/telemetry.ts';
import { apiAddress, healthAddress, type HttpServer, requireFreePort } from './listen.ts';
import { startHealthServer, logReadiness, observeReadiness } from './health-server.ts';
import { ensureInstallation } from './installation.ts';
import { watchEventLog } from './event-log-watch.ts';
import { packageVersion } from './package-version.ts';
import { type ProcessContext, openProcessContext } from './process-context.ts';
import { waitForReadModels, watchReadModels } from './read-models-watch.ts';
import { closedReason, limitationsIn, missingIn, newProcessState, type ProcessState } from './process-state.ts';
import { rolesWithCheckpoints, startWorkers, stopWorkers } from './role-workers.ts';
import { type ProcessRole, processRoles } from './running-role.ts';
import { listAccounts } from '#application/accounts/queries.ts';
import { identityOfUser, issueSignInLink } from '#application/people/sign-in-links.ts';
import { machineUser } from './machine-user.ts';
import { abortReason, firstStopSignal } from './stop-signal.ts';
import { userErrorMessage } from './user-errors.ts';

/**
 * The token of a one-time link that makes the user of the machine owner of the only account. Null if there are several
 * accounts, because the start does not choose for the user; and for one of several processes, unless it runs on a
 * terminal, because its output is a log.
 */
const issueStartupLink = async ({ engines, roles, now }: ProcessContext): Promise<string | null> => {
  if (roles.length < processRoles.length && !process.stdout.isTTY) return null;
  const [store, reads] = await Promise.all([engines.store(), engines.reads()]);
  const accounts = await listAccounts(reads);
  if (accounts.length !== 1) return null;
  const { token } = await issueSignInLink(
    { store, now },
    { kind: 'service', name: 'start' },
    { identity: identityOfUser(machineUser(), null), accountId: accounts[0]!.id, role: null, operator: false },
  );
  return token;
};

/**
 * Creates a default account on the first start of a process with all roles. Several processes would each create one.
 */
const createDefaultAccount = async ({ engines, roles, now }: ProcessContext) => {
  if (roles.length < processRoles.length) return null;
  const [store, reads, blobs] = await Promise.all([engines.store(), engines.reads(), engines.blobs()]);
  const defaultAccount = await openDefaultAccount({ store, now }, reads, blobs);
  await catchUp(store, reads, projections);
  return defaultAccount;
};

/**
 * A process waits for its secret and for engines of its installation. `verified` is false when the process stops first.
 */
type InstallationCheck = { secretReady: Promise<void>; verified: Promise<boolean> };

const startInstallationCheck = (context: ProcessContext, state: ProcessState, stop: AbortSignal): InstallationCheck => {
  const secret = Promise.withResolvers<void>();
  const stopping = abortReason(stop).then(() => false);
  const verified = ensureInstallation(context, stop, secret.resolve).then(
    () => (state.isInstallationVerified = !stop.aborted),
  );
  return { secretReady: secret.promise, verified: Promise.race([verified, stopping]) };
};

/**
 * Starts the API, or the health server. With server engines it starts at once and reports what is missing; with
 * embedded engines it first waits until the read models are up to date.
 */
const startHttpServer = async (
  context: ProcessContext,
  state: ProcessState,
  { secretReady, verified }: InstallationCheck,
  readModelsReady: Promise<unknown>,
): Promise<HttpServer> => {
  const health = () => ({ missing: missingIn(context, state), limitations: limitationsIn(state) });
  if (!context.roles.includes('api')) return startHealthServer(context.settings, context.telemetry, health);
  const store = await context.engines.store();
  // With an event log on a server, the secret is in the settings.
  if (!isRemoteEngine(store)) await Promise.race([secretReady, verified]);
  const others = await Promise.all([context.engines.reads(), context.engines.blobs()]);
  if (![store, ...others].some(isRemoteEngine)) {
    await verified;
    if (context.roles.includes('projector') && (await state.eventLogWatch?.firstCheck) === null) await readModelsReady;
  }
  const { startApi } = await import('./api.ts');
  return startApi(context, () => closedReason(state), health);
};

/** Announces the API when the read models are ready. */
const announceServing = async (
  context: ProcessContext,
  state: ProcessState,
  httpServer: HttpServer,
  readModelsReady: Promise<boolean>,
  output: StartupOutput,
): Promise<void> => {
  if (!context.roles.includes('api') || !(await readModelsReady) || state.stopping) return;
  const defaultAccount = await createDefaultAccount(context);
  state.areReadModelsReady = true;
  // The keys of a new account are shown only once.
  if (state.stopping && defaultAccount === null) return;
  const signInToken = await issueStartupLink(context);
  output.apiReady(context.settings, httpServer.address(), { defaultAccount, signInToken });
};

/** `announced` resolves when the API is announced, and its default account created. */
type Started = { httpServer?: HttpServer; announced?: Promise<void> };

/** Starts everything. Resolves with the error when the process cannot continue. */
const runRoles = async (
  context: ProcessContext,
  state: ProcessState,
  stop: AbortSignal,
  started: Started,
  output: StartupOutput,
): Promise<Error | null> => {
  if (context.roles.some((role) => role === 'api' || rolesWithCheckpoints.has(role)))
    state.eventLogWatch = watchEventLog(context, stop);
  const installationCheck = startInstallationCheck(context, state, stop);
  const dataVerified = installationCheck.verified.then((verified) => verified && state.eventLogWatch?.verified);
  const readModelsReady = context.roles.includes('api')
    ? dataVerified.then((verified) => verified === true && waitForReadModels(context, stop))
    : Promise.resolve(true);
  for (const promise of [dataVerified, readModelsReady]) promise.catch(() => undefined);
  const httpServer = startHttpServer(context, state, installationCheck, readModelsReady).then((server) => {
    started.httpServer = server;
    // Announced at once, because workers may wait for unavailable engines and health reports why.
    if (!context.roles.includes('api') && !state.stopping)
      output.healthReady(context.roles, context.settings, server.address());
    return server;
  });
  const workers = startWorkers(context, state, installationCheck.verified);
  const announced = Promise.all([httpServer, workers.up]).then(
    ([server]) => (started.announced = announceServing(context, state, server, readModelsReady, output)),
  );
  const watched = announced.then(async () => {
    if (state.areReadModelsReady)
      await watchReadModels(context, (areReady) => (state.areReadModelsReady = areReady), stop);
  });
  const failures = [watched, ...workers.ended];
  const never = new Promise<never>(() => undefined);
  return Promise.race(
    failures.map((end) =>
      end.then(
        () => never,
        (error: unknown) => error as Error,
      ),
    ),
  );
};

/** `defaultAccount` is the new account on the first start; `signInToken` is that of a one-time link to the dashboard. */
export type StartedApi = { defaultAccount: DefaultAccount | null; signInToken: string | null };

/** Prints the addresses of a started process. `log` is where its log goes, by default standard output. */
export type StartupOutput = {
  log?: NodeJS.WritableStream;
  apiReady(settings: Settings, address: AddressInfo | string | null, started: StartedApi): void;
  healthReady(roles: readonly ProcessRole[], settings: Settings, address: AddressInfo | string | null): void;
};

/**
 * Runs the given roles, or all, with the settings of `env` until `stopped` aborts, or by default until a stop signal
 * comes; then finishes the current tasks.
 */
export const start = async (
  chosenRoles: readonly ProcessRole[],
  output: StartupOutput,
  env: Environment = process.env,
  stopped?: AbortSignal,
): Promise<void> => {
  const settings = loadSettings(env);
  const roles = chosenRoles.length === 0 ? processRoles : processRoles.filter((role) => chosenRoles.includes(role));
  const roleProblem = roles.length < processRoles.length ? findRoleProblem(settings, chosenRoles) : null;
  if (roleProblem !== null) throw new SettingsError(roleProblem);
  await requireFreePort(roles.includes('api') ? apiAddress(settings) : healthAddress(settings));
  const release = requireOnlyProcess(settings);
  const logger = createLogger(settings, output.log);
  for (const { variable, didYouMean } of findUnknownVariables(env))
    logger.warn(
      { variable, ...(didYouMean === null ? {} : { did_you_mean: didYouMean }) },
      'ignored an environment variable that is no setting',
    );
  const { restricted, unchanged } = restrictPermissions(storedPathsOf(settings, settings.secret === undefined));
  if (restricted.length > 0)
    logger.warn({ restricted }, 'removed the permissions of other users from files or folders');
  if (unchanged.length > 0)
    logger.warn(
      { unchanged },
      'files or folders stay open to other users or to a group: another user owns them, they contain other files, or ' +
        'they are links',
    );
  const stopReason = stopped ? abortReason(stopped) : firstStopSignal(['SIGTERM', 'SIGINT']);
  const context = openProcessContext(
    settings,
    logger,
    await startTelemetry(settings, roles, packageVersion(), logger),
    roles,
  );
  const state = newProcessState();
  logger.info(describeProcessSharing(settings));
  const started: Started = {};
  const stop = new AbortController();
  const stopObserving = observeReadiness(() => missingIn(context, state));
  const readiness = logReadiness(() => missingIn(context, state), logger);
  try {
    const reason = await Promise.race([stopReason, runRoles(context, state, stop.signal, started, output)]);
    if (typeof reason !== 'string') throw reason;
    logger.info({ reason }, 'stopping after current tasks');
  } catch (error) {
    process.exitCode = 1;
    const message = userErrorMessage(error);
    if (message !== null) logger.fatal(message);
    else logger.fatal({ err: error }, 'service cannot continue');
  }
  state.stopping = true;
  stop.abort();
  readiness.stop();
  await started.httpServer?.stop();
  await started.announced?.catch(() => undefined);
  await stopWorkers(state);
  stopObserving();
  await context.close();
  release();
  logger.info('stopped');
};
