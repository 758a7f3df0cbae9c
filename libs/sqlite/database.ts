import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';

export type Row = Record<string, string | number | null>;
export type Parameters = readonly SQLInputValue[];

/**
 * `full` survives a power cut with every commit; `normal` survives the end of the process with every commit,
 * and a power cut with a consistent earlier state: enough for what can be made again from the log.
 */
export type Durability = 'full' | 'normal';

export type Database = {
  all(sql: string, ...parameters: Parameters): Row[];
  get(sql: string, ...parameters: Parameters): Row | undefined;
  /** Answers with the number of changed rows. */
  run(sql: string, ...parameters: Parameters): number;
  /** Runs `work` holding the write lock from the start; an exception rolls back. */
  transaction<T>(work: () => T): T;
  close(): void;
};

/** Opens (and creates) a database file in WAL mode. Statements are prepared once. */
export const openDatabase = (file: string, durability: Durability): Database => {
  mkdirSync(dirname(file), { recursive: true });
  const connection = new DatabaseSync(file);
  connection.exec(`PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability.toUpperCase()};`);
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    all: (sql, ...parameters) => statement(sql).all(...parameters) as Row[],
    get: (sql, ...parameters) => statement(sql).get(...parameters) as Row | undefined,
    run: (sql, ...parameters) => Number(statement(sql).run(...parameters).changes),
    transaction: (work) => {
      statement('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        statement('COMMIT').run();
        return result;
      } catch (error) {
        if (connection.isTransaction) statement('ROLLBACK').run();
        throw error;
      }
    },
    close: () => connection.close(),
  };
};
