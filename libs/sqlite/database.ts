import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { makeFolder } from '#libs/disk/make-folder.ts';
import { isDamageError, writeDamageMarker } from './damage.ts';
import { hasResultCode, withFileInError } from './result-codes.ts';

export type Row = Record<string, string | number | null>;
export type SqlParameters = readonly SQLInputValue[];

/**
 * `full`: no commit is lost in a power failure. `normal`: no commit is lost when the process ends; a power failure leaves
 * a consistent earlier state, which is enough for data that can be rebuilt from the event log.
 */
export type Durability = 'full' | 'normal';

export type SqliteDatabase = {
  all(sql: string, ...parameters: SqlParameters): Row[];
  get(sql: string, ...parameters: SqlParameters): Row | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: SqlParameters): number;
  /** Like `run`, and also returns the rowid of the last inserted row. */
  insert(sql: string, ...parameters: SqlParameters): { changes: number; rowid: number };
  /** Runs one or more statements without parameters. */
  exec(sql: string): void;
  /** Runs `work` in a transaction that holds the write lock from the start. An exception rolls it back. */
  transaction<T>(work: () => T): T;
  inTransaction(): boolean;
  /**
   * Moves all commits from the write-ahead log to the file and empties the write-ahead log, which still has the bytes of
   * deleted rows. False, with a part of them perhaps moved, if another connection is reading or writing.
   */
  truncateWal(): boolean;
  close(): void;
};

/** How long a statement waits for the lock of another connection before it fails, in milliseconds. */
export const defaultLockTimeoutMs = 10_000;

// SQLite does not apply its lock timeout to the switch to WAL, so this function retries.
const switchToWal = (connection: DatabaseSync, lockTimeoutMs: number): void => {
  for (const deadline = performance.now() + lockTimeoutMs; ;) {
    try {
      return connection.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if (!hasResultCode(error, 'busy') || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};

/**
 * A checkpoint blocks the thread for 20 to 70 ms. SQLite's default of 1,000 pages is less than a hundred renders; with
 * this, the write-ahead log is at most 33 MB. For the event log, more pages made no render faster.
 */
const pagesPerCheckpoint = 8_000;

/** Opens a database file in WAL mode, and creates it if needed. Statements are prepared once. File errors contain the file name. */
export const openDatabase = (
  file: string,
  durability: Durability,
  lockTimeoutMs = defaultLockTimeoutMs,
): SqliteDatabase => {
  makeFolder(dirname(file));
  const withFileName = <T>(work: () => T): T => {
    try {
      return withFileInError(file, work);
    } catch (error) {
      if (isDamageError(error)) writeDamageMarker(file, (error as Error).message);
      throw error;
    }
  };
  const connection = withFileName(() => new DatabaseSync(file, { timeout: lockTimeoutMs }));
  try {
    withFileName(() => switchToWal(connection, lockTimeoutMs));
    connection.exec(`PRAGMA synchronous = ${durability.toUpperCase()}`);
    if (durability === 'normal') connection.exec(`PRAGMA wal_autocheckpoint = ${pagesPerCheckpoint}`);
    // Sorting then needs no disk space, so reads still work when the disk is full.
    connection.exec('PRAGMA temp_store = MEMORY');
  } catch (error) {
    connection.close();
    throw error;
  }
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const found = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, found);
    return found;
  };
  const transaction = <T>(work: () => T): T => {
    withFileName(() => statement('BEGIN IMMEDIATE').run());
    try {
      const result = work();
      withFileName(() => statement('COMMIT').run());
      return result;
    } catch (error) {
      if (connection.isTransaction) statement('ROLLBACK').run();
      throw error;
    }
  };
  return {
    all: (sql, ...parameters) => withFileName(() => statement(sql).all(...parameters)) as Row[],
    get: (sql, ...parameters) => withFileName(() => statement(sql).get(...parameters)) as Row | undefined,
    run: (sql, ...parameters) => Number(withFileName(() => statement(sql).run(...parameters)).changes),
    insert: (sql, ...parameters) => {
      const { changes, lastInsertRowid } = withFileName(() => statement(sql).run(...parameters));
      return { changes: Number(changes), rowid: Number(lastInsertRowid) };
    },
    exec: (sql) => withFileName(() => connection.exec(sql)),
    transaction,
    inTransaction: () => connection.isTransaction,
    truncateWal: () => {
      // It must not wait for a reader, such as a backup: it would hold up all writes meanwhile.
      connection.exec('PRAGMA busy_timeout = 0');
      try {
        return withFileName(() => statement('PRAGMA wal_checkpoint(TRUNCATE)').get())?.busy === 0;
      } finally {
        connection.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}`);
      }
    },
    close: () => {
      if (connection.isOpen) connection.close();
    },
  };
};
