import type { EventOf } from '#contracts/events/event-schemas.ts';
import { type Decider, fold } from '../decider.ts';

/** A stream's history, and what a command then leads to: `given(render, ...events).when(command)` are the events of the decision. */
export const given = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  ...events: readonly Event[]
) => ({
  when: (command: Command): Event[] => decider.decide(command, fold(decider, events)),
});

/** The history that follows when commands are given one after the other. */
export const historyOf = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
): Event[] => {
  const events: Event[] = [];
  for (const command of commands) events.push(...given(decider, ...events).when(command));
  return events;
};
