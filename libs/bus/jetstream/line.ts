import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { openBell } from '#libs/sqlite/bell.ts';
import type { Consumer, Delivery } from '../port.ts';
import type { GivenUp } from './given-up.ts';
import type { Lane } from './lane.ts';
import { type Kind, tokenOf } from './names.ts';
import { openSide } from './side.ts';

/** Those of this process who take messages of one subject. */
export type Line = {
  next(consumer: Consumer, signal: AbortSignal): Promise<Delivery | null>;
  nextBeside(consumer: Consumer, groups: ReadonlySet<string>): Promise<Delivery | null>;
  /** A group (its token) has something new, which this process has put there; resolves when the other processes are told. */
  tell(kind: Kind, group: string): Promise<void>;
  /** To be called whenever the connection has come up. */
  begin(connection: NatsConnection): void;
  close(): void;
};

export type LineParts = { lanes: Record<Kind, Lane>; connection: () => NatsConnection | null; leaseMs: number; onGivenUp: (message: GivenUp) => void };

/** One message in so many that are taken is an ordinary one, where there are any, however many urgent ones wait. */
const ordinaryShare = 4;
const tendEveryMs = 50;
const longestCheckMs = 2_000;
const retryMs = 250;

export const openLine = ({ lanes, connection, leaseMs, onGivenUp }: LineParts): Line => {
  const checkMs = Math.min(Math.max(leaseMs / 4, tendEveryMs), longestCheckMs);
  const bell = openBell(longestCheckMs, () => anything());
  const sideOf = (kind: Kind) => openSide({ lane: lanes[kind], connection, checkMs, wakeUp: () => bell.ring(), onGivenUp });
  const urgent = sideOf('urgent');
  const ordinary = sideOf('ordinary');
  const anything = (): boolean => urgent.any() || ordinary.any();
  let taken = 0;
  let listed: Promise<unknown> = Promise.resolve();

  const take = async (consumer: Consumer, except?: ReadonlySet<string>): Promise<Delivery | null> => {
    const urgentFirst = taken % ordinaryShare !== ordinaryShare - 1;
    const [first, second] = urgentFirst ? [urgent, ordinary] : [ordinary, urgent];
    const delivery = (await first.take(consumer, except)) ?? (await second.take(consumer, except));
    if (delivery) taken += 1;
    return delivery;
  };

  // One asks at a time: of many who wait, only as many shall ask as there are messages.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = last.then(act);
    last = done.catch(() => undefined);
    return done;
  };

  let tending = false;
  const tend = async (): Promise<void> => {
    if (tending || !connection()) return;
    tending = true;
    await Promise.all([urgent.tend(), ordinary.tend()]);
    tending = false;
  };
  const timer = setInterval(() => void tend(), tendEveryMs).unref();

  return {
    next: async (consumer, signal) => {
      const ended = (): boolean => signal.aborted || bell.closed();
      while (!ended()) {
        try {
          const delivery = await inTurn(async () => (ended() ? null : take(consumer)));
          if (delivery) return delivery;
          if (!anything()) await bell.heard(signal);
        } catch {
          await sleep(retryMs, undefined, { signal }).catch(() => undefined);
        }
      }
      return null;
    },
    nextBeside: async (consumer, groups) => {
      if (!connection() || bell.closed()) return null;
      await listed;
      const tokens = new Set([...groups].map(tokenOf));
      return inTurn(() => take(consumer, tokens)).catch(() => null);
    },
    tell: (kind, group) => (kind === 'urgent' ? urgent : ordinary).tell(group),
    begin: (up) => {
      listed = Promise.all([urgent.begin(up), ordinary.begin(up)]);
    },
    close: () => {
      clearInterval(timer);
      bell.close();
    },
  };
};
