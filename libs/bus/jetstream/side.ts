import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Consumer, Delivery } from '../port.ts';
import { deliveryOf, leaseMarginMs } from './delivery.ts';
import { clearGivenUp, type GivenUp } from './given-up.ts';
import { openHands } from './hands.ts';
import type { Lane } from './lane.ts';
import { groupIn } from './names.ts';
import { createTurns } from './turns.ts';

export type SideParts = {
  lane: Lane;
  /** Null while the server cannot be reached. */
  connection: () => NatsConnection | null;
  /** How long at most passes until a lease that has run out is seen, in milliseconds. */
  checkMs: number;
  /** Called when there may be something to take. */
  wakeUp: () => void;
  onGivenUp: (message: GivenUp) => void;
};

/** What this process knows of one lane, and what it takes from it. */
export type Side = {
  any(): boolean;
  /** The next message of the group whose turn it is, and which is none of these (tokens); null where there is none now. @throws Error where the server cannot be asked */
  take(consumer: Consumer, except?: ReadonlySet<string>): Promise<Delivery | null>;
  /** A group has something new, which this process was the first to know: to be taken here or by any other process; resolves when the others are told. */
  tell(group: string): Promise<void>;
  /** Listens from now on, and asks which groups have messages; to be called whenever the connection has come up. */
  begin(connection: NatsConnection): Promise<void>;
  /** Looks at groups that have nothing to take as far as is known: the lease of somebody who is gone runs out without a word. */
  tend(): Promise<void>;
};

/** A server of a cluster may know of a message a little later than the one that confirmed it. */
const soonMs = 100;
const tendedAtOnce = 32;
const retryMs = 250;

export const openSide = ({ lane, connection, checkMs, wakeUp, onGivenUp }: SideParts): Side => {
  const turns = createTurns();
  const hands = openHands();
  const rung = new Set<string>();
  let listensTo: NatsConnection | null = null;

  const wake = (group: string): void => {
    turns.wake(group);
    wakeUp();
  };
  const restFor = (group: string, ms: number): void => turns.rest(group, performance.now() + ms);

  const hear = (group: string): void => {
    rung.add(group);
    wake(group);
  };
  const tell = (group: string): Promise<void> => {
    hear(group);
    return lane.ring(group);
  };

  const pull = async (group: string, consumer: Consumer): Promise<Delivery | null> => {
    const given = await lane.pull(group, consumer.leaseMs + leaseMarginMs).catch((error: unknown) => {
      turns.wake(group);
      throw error;
    });
    const wasRung = rung.delete(group);
    if (!given) {
      restFor(group, wasRung ? soonMs : checkMs);
      return null;
    }
    if (given.behind > 0) turns.wake(group);
    else restFor(group, checkMs);
    const delivery = deliveryOf(consumer, given, {
      connection,
      onEnd: (againInMs) => {
        if (againInMs === 0) return tell(group);
        // Where nobody can be told, the others look by themselves.
        if (againInMs !== null) setTimeout(() => void tell(group).catch(() => undefined), againInMs).unref();
      },
    });
    hands.take(group, () => delivery.until());
    return delivery;
  };

  const look = async (group: string): Promise<void> => {
    if (hands.count(group, performance.now()) > 0) return restFor(group, checkMs);
    const state = await lane.look(group).catch(() => undefined);
    if (state === undefined) return restFor(group, checkMs);
    if (state === null || state.waiting > 0 || state.inHands > 0) return wake(group);
    turns.forget(group);
  };

  const listen = (to: NatsConnection): void => {
    if (listensTo === to) return;
    to.subscribe(`${lane.names.bell}.*`, {
      callback: (error, message) => {
        if (!error) hear(groupIn(lane.names, message.subject));
      },
    });
    clearGivenUp(to, lane, onGivenUp);
    listensTo = to;
  };

  return {
    any: () => turns.any(),
    tell,
    take: async (consumer, except) => {
      for (let group = turns.pick(except); group !== undefined; group = turns.pick(except)) {
        const delivery = await pull(group, consumer);
        if (delivery) return delivery;
      }
      return null;
    },
    begin: async (to) => {
      lane.doubt();
      while (connection() === to) {
        try {
          listen(to);
          // What comes after the flush is told, what came before is in the list.
          await to.flush();
          for (const group of await lane.groups()) wake(group);
          return;
        } catch {
          await sleep(retryMs, undefined, { ref: false });
        }
      }
    },
    tend: async () => {
      await Promise.all(turns.due(performance.now(), tendedAtOnce).map(look));
    },
  };
};
