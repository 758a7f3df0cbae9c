import type { EventOf } from '#contracts/events/event-schemas.ts';
import { type Decider, fold } from '../decider.ts';

/** `given(render, ...events).when(command)` returns the events that the decider decides for this history. */
export const given = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  ...events: readonly Event[]
) => ({
  when: (command: Command): Event[] => decider.decide(command, fold(decider, events)),
});

/** The history after the commands, executed one after the other. */
export const historyOf = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  commands: readonly Command[],
): Event[] => {
  const events: Event[] = [];
  for (const command of commands) events.push(...given(decider, ...events).when(command));
  return events;
};
