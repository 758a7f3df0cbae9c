import type { EventLogWatch } from './event-log-watch.ts';
import type { ProcessContext } from './process-context.ts';
import type { ProcessRole, RunningRole } from './running-role.ts';

export type WorkerRole = Exclude<ProcessRole, 'api'>;

export type ProcessState = {
  stopping: boolean;
  isInstallationVerified: boolean;
  areReadModelsReady: boolean;
  workers: Map<WorkerRole, RunningRole>;
  starting: Promise<unknown>;
  eventLogWatch: EventLogWatch | null;
};

export const newProcessState = (): ProcessState => ({
  stopping: false,
  isInstallationVerified: false,
  areReadModelsReady: false,
  workers: new Map(),
  starting: Promise.resolve(),
  eventLogWatch: null,
});

export const workerRolesOf = ({ roles }: ProcessContext): WorkerRole[] => roles.filter((role) => role !== 'api');

/** What the process waits for before it can serve. */
export const missingIn = (
  context: ProcessContext,
  { stopping, isInstallationVerified, areReadModelsReady, workers, eventLogWatch }: ProcessState,
): string[] => [
  ...(stopping ? ['the service is stopping'] : []),
  ...context.engines.missing(),
  ...context.engines.damages(),
  ...context.unreadableBlobs.missing(),
  ...(isInstallationVerified ? [] : ['the process has not yet checked that its engines belong to this installation']),
  ...[eventLogWatch?.missing() ?? []].flat(),
  ...(context.roles.includes('api') && !areReadModelsReady ? ['the read models are not ready yet'] : []),
  ...workerRolesOf(context).flatMap((name) => workers.get(name)?.missing() ?? [`the ${name} is starting`]),
];

/** What does not work although the process serves. */
export const limitationsIn = ({ workers }: ProcessState): string[] =>
  [...workers.values()].flatMap((worker) => worker.limitations?.() ?? []);

const startingMessage = 'The service is starting or rebuilding its data. Try again in a moment.';
const olderLogMessage =
  'The event log is older than the data that was built from it, so the service cannot accept requests. ' +
  'The operator of the service must run "colophon rebuild".';

/** Why callers are not served now, or null. */
export const closedReason = ({ eventLogWatch, areReadModelsReady }: ProcessState): string | null => {
  if (eventLogWatch?.missing()) return olderLogMessage;
  return areReadModelsReady ? null : startingMessage;
};
