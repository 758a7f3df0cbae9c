import type { EventOf } from '#contracts/events/event-schemas.ts';

/** A stream's rule: how its history folds to a state, and which events a command leads to. Pure. */
export type Decider<State, Command, Event extends EventOf> = {
  initial: State;
  evolve: (state: State, event: Event) => State;
  decide: (command: Command, state: State) => Event[];
};

/** The state that a history leads to; `from` is the state before its first event. */
export const fold = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
  from = decider.initial,
): State => events.reduce(decider.evolve, from);
