import type { EventOf } from '#contracts/events/event-schemas.ts';

/**
 * The rules of one kind of stream: `evolve` folds its history to a state, `decide` turns a command into events. Pure.
 */
export type Decider<State, Command, Event extends EventOf> = {
  initial: State;
  evolve: (state: State, event: Event) => State;
  decide: (command: Command, state: State) => Event[];
};

/** Folds events to a state. `from` is the state before the first event. */
export const fold = <State, Command, Event extends EventOf>(
  decider: Decider<State, Command, Event>,
  events: readonly Event[],
  from = decider.initial,
): State => events.reduce(decider.evolve, from);
