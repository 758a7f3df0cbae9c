import { openDatabase } from '#libs/sqlite/database.ts';
import type { Bus, Consumer, Delivery } from './port.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS messages (
    sequence  INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    subject   TEXT NOT NULL,
    data      TEXT NOT NULL,
    attempt   INTEGER NOT NULL DEFAULT 0,
    free_at   INTEGER NOT NULL,
    done_at   INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waiting ON messages (subject, free_at, sequence) WHERE done_at IS NULL;
  CREATE INDEX IF NOT EXISTS done ON messages (done_at) WHERE done_at IS NOT NULL`;

// A lease is nothing but a time before which nobody else may have the message.
const take = `
  UPDATE messages SET attempt = attempt + 1, free_at = ?3
  WHERE sequence = (SELECT sequence FROM messages WHERE done_at IS NULL AND subject = ?1 AND free_at <= ?2 ORDER BY free_at, sequence LIMIT 1)
  RETURNING id, data, attempt`;

const deduplicationMs = 120_000;
const recheckMs = 250;

/** A durable queue in one SQLite file, shared by the processes of one machine. `now` is in milliseconds since 1970. */
export const openSqliteBus = (file: string, now: () => number = Date.now): Bus => {
  const database = openDatabase(file, 'normal');
  schema.split(';').forEach((sql) => database.run(sql));
  const sleepers = new Set<() => void>();
  const wake = (): void => {
    for (const wakeOne of sleepers) wakeOne();
  };
  // Other processes publish and leases run out without a word: whoever waits looks again now and then.
  const recheck = setInterval(wake, recheckMs);
  const purge = setInterval(() => database.run('DELETE FROM messages WHERE done_at < ?', now() - deduplicationMs), 10_000);
  recheck.unref();
  purge.unref();

  const asleep = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        sleepers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      sleepers.add(done);
      signal.addEventListener('abort', done);
    });

  const deliveryOf = (consumer: Consumer, row: { id: string; data: string; attempt: number }): Delivery => {
    const held = 'id = ? AND attempt = ? AND done_at IS NULL';
    const free = (at: number): void => void database.run(`UPDATE messages SET free_at = ? WHERE ${held}`, at, row.id, row.attempt);
    return {
      id: row.id,
      subject: consumer.subject,
      data: JSON.parse(row.data),
      attempt: row.attempt,
      ack: async () => void database.run(`UPDATE messages SET done_at = ? WHERE ${held}`, now(), row.id, row.attempt),
      nak: async (delayMs) => {
        free(now() + delayMs);
        wake();
      },
      working: async () => free(now() + consumer.leaseMs),
    };
  };

  const takeOne = (consumer: Consumer): Delivery | null => {
    const row = database.get(take, consumer.subject, now(), now() + consumer.leaseMs);
    return row ? deliveryOf(consumer, row as { id: string; data: string; attempt: number }) : null;
  };

  return {
    publish: async (message) => {
      database.run(
        'INSERT INTO messages (id, subject, data, free_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        message.id, message.subject, JSON.stringify(message.data), now(),
      );
      wake();
    },
    next: async (consumer, signal) => {
      while (!signal.aborted) {
        const delivery = takeOne(consumer);
        if (delivery) return delivery;
        await asleep(signal);
      }
      return null;
    },
    pending: async (consumer) => Number(database.get('SELECT count(*) AS n FROM messages WHERE done_at IS NULL AND subject = ?', consumer.subject)!.n),
    close: async () => {
      clearInterval(recheck);
      clearInterval(purge);
      wake();
      database.close();
    },
  };
};
