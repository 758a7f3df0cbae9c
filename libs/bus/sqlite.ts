import { uptimeMs } from '#libs/clock/clock.ts';
import { openBell } from '#libs/sqlite/bell.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { openMark } from '#libs/sqlite/mark.ts';
import { type Bus, type Consumer, type Delivery, deduplicationMs, longestWaitMs } from './port.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    sequence  INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    subject   TEXT NOT NULL,
    urgent    INTEGER NOT NULL,
    turn      TEXT NOT NULL,
    data      TEXT NOT NULL,
    attempt   INTEGER NOT NULL DEFAULT 0,
    free_at   INTEGER NOT NULL DEFAULT 0,
    done_at   INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS fresh ON messages (subject, urgent, turn, sequence) WHERE done_at IS NULL AND free_at = 0;
  CREATE INDEX IF NOT EXISTS given ON messages (subject, free_at, sequence) WHERE done_at IS NULL AND free_at > 0;
  CREATE INDEX IF NOT EXISTS done ON messages (done_at) WHERE done_at IS NOT NULL`;

// A lease is nothing but a time before which nobody else may have the message; a message that was never given out has none (0).
// What was given out before and is free again goes first: new messages must not keep it waiting for ever.
const returned = 'SELECT sequence FROM messages WHERE done_at IS NULL AND subject = ? AND free_at > 0 AND free_at <= ? AND turn NOT IN (SELECT value FROM json_each(?)) ORDER BY free_at, sequence LIMIT 1';
const freshAfter = `SELECT sequence, turn FROM messages WHERE done_at IS NULL AND free_at = 0 AND subject = ? AND urgent = ? AND turn > ? ORDER BY turn, sequence LIMIT 1`;
const freshFirst = `SELECT sequence, turn FROM messages WHERE done_at IS NULL AND free_at = 0 AND subject = ? AND urgent = ? ORDER BY turn, sequence LIMIT 1`;
const waitingOf = 'SELECT count(*) AS n FROM messages WHERE done_at IS NULL AND free_at = 0 AND subject = ? AND urgent = ? AND turn = ?';
const give = 'UPDATE messages SET attempt = attempt + 1, free_at = ? WHERE sequence = ? RETURNING id, turn, data, attempt';

/** One message in so many that are taken is an ordinary one, where there are any, however many urgent ones wait. */
const ordinaryShare = 4;

const recheckMs = 250;

const none: ReadonlySet<string> = new Set();

type Row = { id: string; turn: string; data: string; attempt: number };

/** Times from before the machine was started are on a clock that has begun anew. */
const boundTimes = 'UPDATE messages SET free_at = ?1 WHERE done_at IS NULL AND free_at > ?1';
const boundEnds = 'UPDATE messages SET done_at = ?1 WHERE done_at > ?1';

/** A durable queue in one SQLite file, shared by the processes of one machine. `now` is in whole milliseconds on a clock that is never set and that these processes share. */
export const openSqliteBus = (file: string, now = uptimeMs): Bus => {
  const database = openDatabase(file, 'normal');
  database.script(schema);
  database.transaction(() => {
    database.run(boundTimes, now() + longestWaitMs);
    database.run(boundEnds, now());
  });
  // Other processes publish and leases run out without a word: whoever waits looks again now and then.
  const bell = openBell(recheckMs, () => true);

  const deliveryOf = (consumer: Consumer, row: Row): Delivery => {
    let ended = false;
    /** Changes the message while it is still in these hands; otherwise somebody else has it, and nothing happens. */
    const whileHeld = (change: 'free_at' | 'done_at', at: number): void => {
      if (!ended) database.run(`UPDATE messages SET ${change} = ? WHERE id = ? AND attempt = ? AND done_at IS NULL`, at, row.id, row.attempt);
    };
    return {
      id: row.id,
      subject: consumer.subject,
      group: row.turn,
      data: JSON.parse(row.data),
      attempt: row.attempt,
      ack: async () => {
        whileHeld('done_at', now());
        ended = true;
      },
      nak: async (delayMs) => {
        whileHeld('free_at', now() + delayMs);
        ended = true;
        bell.ring();
      },
      working: async () => whileHeld('free_at', now() + consumer.leaseMs),
    };
  };

  const lastTurn = new Map<string, string>();
  let taken = 0;

  /** The first message of the next group that is none of `except`, one step for each group that is passed over. */
  const nextFresh = (subject: string, urgent: 0 | 1, except: ReadonlySet<string>): number | undefined => {
    const line = `${subject} ${urgent}`;
    const after = (turn: string | undefined) => (turn === undefined ? undefined : database.get(freshAfter, subject, urgent, turn)) ?? database.get(freshFirst, subject, urgent);
    const first = after(lastTurn.get(line));
    let row = first;
    while (row && except.has(row.turn as string)) {
      row = after(row.turn as string);
      if (row?.turn === first?.turn) return undefined;
    }
    if (row) lastTurn.set(line, row.turn as string);
    return row?.sequence as number | undefined;
  };

  const nextSequence = (subject: string, except: ReadonlySet<string>): number | undefined => {
    const again = database.get(returned, subject, now(), JSON.stringify([...except]))?.sequence as number | undefined;
    if (again !== undefined) return again;
    const [first, second] = taken % ordinaryShare === ordinaryShare - 1 ? ([0, 1] as const) : ([1, 0] as const);
    return nextFresh(subject, first, except) ?? nextFresh(subject, second, except);
  };

  const take = (consumer: Consumer, except: ReadonlySet<string>): Delivery | null =>
    database.transaction(() => {
      const sequence = nextSequence(consumer.subject, except);
      if (sequence === undefined) return null;
      taken += 1;
      return deliveryOf(consumer, database.get(give, now() + consumer.leaseMs, sequence) as Row);
    });

  // A few at a time, but more than come in: a pause must not end in one large delete that holds up the event loop.
  const forget = (id: string): void => {
    const before = now() - deduplicationMs;
    database.run('DELETE FROM messages WHERE id = ? AND done_at <= ?', id, before);
    database.run('DELETE FROM messages WHERE sequence IN (SELECT sequence FROM messages WHERE done_at <= ? LIMIT 8)', before);
  };

  return {
    publish: async (message) => {
      await database.together(() => {
        forget(message.id);
        database.run(
          'INSERT INTO messages (id, subject, urgent, turn, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
          message.id, message.subject, message.urgent ? 1 : 0, message.group ?? '', JSON.stringify(message.data),
        );
      });
      bell.ring();
    },
    next: async (consumer, signal) => {
      while (!signal.aborted && !bell.closed()) {
        const delivery = take(consumer, none);
        if (delivery) return delivery;
        await bell.heard(signal);
      }
      return null;
    },
    nextBeside: async (consumer, groups) => (bell.closed() ? null : take(consumer, groups)),
    pending: async ({ subject }, only) =>
      Number(database.get(`SELECT count(*) AS n FROM messages WHERE done_at IS NULL AND subject = ?${only ? ' AND urgent = 1' : ''}`, subject)!.n),
    waiting: async ({ subject }, group) => {
      const count = (urgent: 0 | 1) => Number(database.get(waitingOf, subject, urgent, group)!.n);
      return { urgent: count(1), ordinary: count(0) };
    },
    ...openMark(database),
    close: async () => {
      bell.close();
      database.close();
    },
  };
};
