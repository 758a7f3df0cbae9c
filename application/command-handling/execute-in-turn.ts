import pRetry from 'p-retry';
import type { EventOf } from '#contracts/events/event-schemas.ts';
import { createKeyedLock } from '#libs/concurrency/fair-queue.ts';
import type { Decider } from '#libs/domain/decider.ts';
import { RevisionConflict } from '#libs/event-store/port.ts';
import { count } from '#libs/telemetry/metrics.ts';
import { type Cause, type CommandResult, type EventLog, loadRememberedAggregate } from './aggregate.ts';
import { loadState } from './remembered-state.ts';

/** Without random pauses, processes that conflict would try again at the same moments. In milliseconds. */
const retryOptions = { retries: 20, minTimeout: 5, factor: 1.3, maxTimeout: 200, randomize: true };

/**
 * Runs work that changes a stream. In this process work with the same id takes turns. After a conflict with another
 * process it runs again, after a pause. The returned function throws RevisionConflict after the last try, and other
 * errors of the work.
 */
export const createTurns = () => {
  const withLock = createKeyedLock();
  return <T>(id: string, work: () => Promise<T>): Promise<T> =>
    withLock(id, () =>
      pRetry(work, {
        ...retryOptions,
        shouldRetry: ({ error }) => error instanceof RevisionConflict,
        onFailedAttempt: ({ error }) => {
          if (error instanceof RevisionConflict) count('colophon.append.conflicts', 1, {});
        },
      }),
    );
};

/**
 * Executes commands on streams that many callers change at once, in turns. A command without effect does not wait for the
 * others. `commandAt` gets the time of the decision. The returned function throws RevisionConflict after the last try,
 * EventTooLarge, and errors of the decider.
 */
export const createExecuteInTurn = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  streamOf: (id: string) => string,
) => {
  const inTurn = createTurns();

  return async (
    eventLog: EventLog,
    id: string,
    commandAt: (now: Date) => Command,
    cause: Cause,
  ): Promise<CommandResult<Event> & { state: State }> => {
    const stream = streamOf(id);
    const { state } = await loadState(eventLog.store, decider, stream);
    if (decider.decide(commandAt(eventLog.now()), state).length === 0)
      return { events: [], position: null, at: null, state };
    return inTurn(id, async () => {
      const { aggregate } = await loadRememberedAggregate(eventLog, decider, stream);
      return { ...(await aggregate.executeOnce(commandAt(eventLog.now()), cause)), state: aggregate.state };
    });
  };
};
