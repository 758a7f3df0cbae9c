import { openBell } from '#libs/sqlite/bell.ts';
import { openDatabase } from '#libs/sqlite/database.ts';
import { type Bus, type Consumer, type Delivery, deduplicationMs } from './port.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    sequence  INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    subject   TEXT NOT NULL,
    data      TEXT NOT NULL,
    attempt   INTEGER NOT NULL DEFAULT 0,
    free_at   INTEGER NOT NULL DEFAULT 0,
    done_at   INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waiting ON messages (subject, free_at, sequence) WHERE done_at IS NULL;
  CREATE INDEX IF NOT EXISTS done ON messages (done_at) WHERE done_at IS NOT NULL`;

// A lease is nothing but a time before which nobody else may have the message; a message that was never given out has none (0), so that a
// clock set back does not hold it. What was given out before and is free again goes first: new messages must not keep it waiting for ever.
const take = `
  UPDATE messages SET attempt = attempt + 1, free_at = ?3
  WHERE sequence = coalesce(
    (SELECT sequence FROM messages WHERE done_at IS NULL AND subject = ?1 AND free_at > 0 AND free_at <= ?2 ORDER BY free_at, sequence LIMIT 1),
    (SELECT sequence FROM messages WHERE done_at IS NULL AND subject = ?1 AND free_at = 0 ORDER BY sequence LIMIT 1))
  RETURNING id, data, attempt`;

const recheckMs = 250;

/** A durable queue in one SQLite file, shared by the processes of one machine. `now` is in milliseconds since 1970. */
export const openSqliteBus = (file: string, now: () => number = Date.now): Bus => {
  const database = openDatabase(file, 'normal');
  database.script(schema);
  // Other processes publish and leases run out without a word: whoever waits looks again now and then.
  const bell = openBell(recheckMs, () => true);

  const deliveryOf = (consumer: Consumer, row: { id: string; data: string; attempt: number }): Delivery => {
    let ended = false;
    /** Changes the message while it is still in these hands; otherwise somebody else has it, and nothing happens. */
    const whileHeld = (change: 'free_at' | 'done_at', at: number): void => {
      if (!ended) database.run(`UPDATE messages SET ${change} = ? WHERE id = ? AND attempt = ? AND done_at IS NULL`, at, row.id, row.attempt);
    };
    return {
      id: row.id,
      subject: consumer.subject,
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

  const takeOne = (consumer: Consumer): Delivery | null => {
    const row = database.get(take, consumer.subject, now(), now() + consumer.leaseMs);
    return row ? deliveryOf(consumer, row as { id: string; data: string; attempt: number }) : null;
  };

  // A few at a time, but more than come in: a pause must not end in one large delete that holds up the event loop.
  const forget = (id: string): void => {
    const before = now() - deduplicationMs;
    database.run('DELETE FROM messages WHERE id = ? AND done_at <= ?', id, before);
    database.run('DELETE FROM messages WHERE sequence IN (SELECT sequence FROM messages WHERE done_at <= ? LIMIT 8)', before);
  };

  return {
    publish: async (message) => {
      database.transaction(() => {
        forget(message.id);
        database.run(
          'INSERT INTO messages (id, subject, data) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
          message.id, message.subject, JSON.stringify(message.data),
        );
      });
      bell.ring();
    },
    next: async (consumer, signal) => {
      while (!signal.aborted && !bell.closed()) {
        const delivery = takeOne(consumer);
        if (delivery) return delivery;
        await bell.heard(signal);
      }
      return null;
    },
    pending: async (consumer) => Number(database.get('SELECT count(*) AS n FROM messages WHERE done_at IS NULL AND subject = ?', consumer.subject)!.n),
    close: async () => {
      bell.close();
      database.close();
    },
  };
};
