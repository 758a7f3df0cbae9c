import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { isDamageError, writeDamageMarker } from './damage.ts';

export type Row = Record<string, string | number | null>;
export type SqlParameters = readonly SQLInputValue[];

/**
 * `full` survives a power cut with every commit; `normal` survives the end of the process with every commit,
 * and a power cut with a consistent earlier state: enough for what can be made again from the log.
 */
export type Durability = 'full' | 'normal';

export type SqliteDatabase = {
  all(sql: string, ...parameters: SqlParameters): Row[];
  get(sql: string, ...parameters: SqlParameters): Row | undefined;
  /** Answers with the number of changed rows. */
  run(sql: string, ...parameters: SqlParameters): number;
  /** As `run`, with the rowid of the row inserted last beside it. */
  insert(sql: string, ...parameters: SqlParameters): { changes: number; rowid: number };
  /** Runs any number of statements that take no parameters. */
  exec(sql: string): void;
  /** Runs `work` holding the write lock from the start; an exception rolls back. */
  transaction<T>(work: () => T): T;
  inTransaction(): boolean;
  close(): void;
};

/** How long a statement waits for the lock of another connection or process before it fails. */
export const defaultLockTimeoutMs = 10_000;

const sqliteBusy = 5;
const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === sqliteBusy;

// The switch to WAL does not wait for another process that does the same at the same moment: it fails at once.
const switchToWal = (connection: DatabaseSync, lockWaitMs: number): void => {
  for (const giveUpAt = performance.now() + lockWaitMs; ;) {
    try {
      return connection.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
};

/** Primary result codes (https://www.sqlite.org/rescode.html) that say something of the file: READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB. */
const fileErrorCodes: ReadonlySet<number> = new Set([8, 10, 11, 13, 14, 26]);

/** Does what `work` does, and names the file in what SQLite says of it. */
const withFileInError = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (isDamageError(error)) writeDamageMarker(file, (error as Error).message);
    if (
      error instanceof Error &&
      fileErrorCodes.has(((error as { errcode?: number }).errcode ?? 0) % 256) &&
      !error.message.includes(file)
    )
      error.message = `${file}: ${error.message}`;
    throw error;
  }
};

/** Opens (and creates) a database file in WAL mode. Statements are prepared once. What SQLite says of the file names it. */
export const openDatabase = (
  file: string,
  durability: Durability,
  lockWaitMs = defaultLockTimeoutMs,
): SqliteDatabase => {
  mkdirSync(dirname(file), { recursive: true });
  const named = <T>(work: () => T): T => withFileInError(file, work);
  const connection = named(() => new DatabaseSync(file, { timeout: lockWaitMs }));
  try {
    named(() => switchToWal(connection, lockWaitMs));
    connection.exec(`PRAGMA synchronous = ${durability.toUpperCase()}`);
    // What is sorted needs no room on the disk: reads go on when it is full.
    connection.exec('PRAGMA temp_store = MEMORY');
  } catch (error) {
    connection.close();
    throw error;
  }
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const transaction = <T>(work: () => T): T => {
    named(() => statement('BEGIN IMMEDIATE').run());
    try {
      const result = work();
      named(() => statement('COMMIT').run());
      return result;
    } catch (error) {
      if (connection.isTransaction) statement('ROLLBACK').run();
      throw error;
    }
  };
  return {
    all: (sql, ...parameters) => named(() => statement(sql).all(...parameters)) as Row[],
    get: (sql, ...parameters) => named(() => statement(sql).get(...parameters)) as Row | undefined,
    run: (sql, ...parameters) => Number(named(() => statement(sql).run(...parameters)).changes),
    insert: (sql, ...parameters) => {
      const { changes, lastInsertRowid } = named(() => statement(sql).run(...parameters));
      return { changes: Number(changes), rowid: Number(lastInsertRowid) };
    },
    exec: (sql) => named(() => connection.exec(sql)),
    transaction,
    inTransaction: () => connection.isTransaction,
    close: () => {
      if (connection.isOpen) connection.close();
    },
  };
};
