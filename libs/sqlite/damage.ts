import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hasResultCode, withFileInError } from './result-codes.ts';

/** Whether an error of SQLite says that the file is damaged. */
export const isDamageError = (error: unknown): boolean => hasResultCode(error, 'corrupt', 'notADatabase', 'shortRead');

/** A file next to a database in which damage was found: the next start checks the whole database. */
const damageMarkerOf = (file: string): string => `${file}.suspect`;

/** Marks a database for a check of the whole file at the next start. Never fails. */
export const writeDamageMarker = (file: string, reason: string): void => {
  try {
    writeFileSync(damageMarkerOf(file), `${reason}\n`, { mode: 0o600 });
  } catch {
    // The error is also logged.
  }
};

const lockTimeoutMs = 10_000;

/** Runs a check of SQLite on an existing file. Returns the problems it finds. `pragma` is the check. */
const runSqliteCheck = (file: string, pragma: string): string[] => {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: lockTimeoutMs });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    if (pragma === '') return [];
    const rows = database
      .prepare(`PRAGMA ${pragma}`)
      .all()
      .map((row) => String(Object.values(row)[0]));
    return rows.length === 1 && rows[0] === 'ok' ? [] : rows;
  } catch (error) {
    if (!isDamageError(error)) throw error;
    return [(error as Error).message];
  } finally {
    database?.close();
  }
};

/** The problems that `PRAGMA integrity_check` finds, at most 100. Reads the whole file. */
export const checkIntegrity = (file: string): string[] =>
  existsSync(file) ? withFileInError(file, () => runSqliteCheck(file, 'integrity_check')) : [];

/** Up to this size, in bytes, a check of the whole file is fast. */
const maxFullCheckBytes = 64 * 1024 * 1024;

/**
 * Describes the damage of a database on one line; null if there is no damage or no file. Checks only the beginning of a large
 * file, unless damage was found in it before.
 */
export const findDamage = (file: string): string | null => {
  if (!existsSync(file)) return null;
  const isSuspect = existsSync(damageMarkerOf(file));
  const isWhole = isSuspect || statSync(file).size <= maxFullCheckBytes;
  const [first] = withFileInError(file, () => runSqliteCheck(file, isWhole ? 'quick_check(1)' : ''));
  if (first === undefined && isSuspect) rmSync(damageMarkerOf(file), { force: true });
  return first?.replaceAll(/\s+/g, ' ') ?? null;
};

/** Renames a database with its WAL and shared-memory files. Returns the new name. */
export const setAside = (file: string, now: Date): string => {
  const name = `${file}.damaged-${now.toISOString().replaceAll(':', '-')}`;
  // The database file is renamed last: after an interruption its damage is found again.
  for (const ending of ['-wal', '-shm', '']) if (existsSync(file + ending)) renameSync(file + ending, name + ending);
  rmSync(damageMarkerOf(file), { force: true });
  return name;
};
