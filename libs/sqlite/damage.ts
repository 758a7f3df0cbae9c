import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Result codes (https://www.sqlite.org/rescode.html) of a file that is damaged or no database: CORRUPT, NOTADB and IOERR_SHORT_READ. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);
const shortRead = 522;

export const isDamageError = (error: unknown): boolean => {
  const errcode = (error as { errcode?: unknown }).errcode;
  return typeof errcode === 'number' && (damageCodes.has(errcode % 256) || errcode === shortRead);
};

/** A note beside a database in which damage was met: the next start looks through all of it. */
const damageMarkerOf = (file: string): string => `${file}.suspect`;

export const writeDamageMarker = (file: string, reason: string): void => {
  try {
    writeFileSync(damageMarkerOf(file), `${reason}\n`, { mode: 0o600 });
  } catch {
    // It is said in the log, too.
  }
};

const lockTimeoutMs = 10_000;

/** What a check of SQLite finds in a file that is there; empty where it finds nothing. `pragma` names the check. */
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

/** All that `PRAGMA integrity_check` finds, 100 lines at most. Reads the whole file. */
export const checkIntegrity = (file: string): string[] =>
  existsSync(file) ? runSqliteCheck(file, 'integrity_check') : [];

/** Up to this size, in bytes, all of a file is looked through within a moment. */
const maxFullCheckBytes = 64 * 1024 * 1024;

/**
 * What is wrong with a database, on one line; null if nothing is wrong or there is no file. Of a large file it checks the beginning alone, unless damage was found in it before.
 */
export const findDamage = (file: string): string | null => {
  if (!existsSync(file)) return null;
  const isSuspect = existsSync(damageMarkerOf(file));
  const isWhole = isSuspect || statSync(file).size <= maxFullCheckBytes;
  const [first] = runSqliteCheck(file, isWhole ? 'quick_check(1)' : '');
  if (first === undefined && isSuspect) rmSync(damageMarkerOf(file), { force: true });
  return first?.replaceAll(/\s+/g, ' ') ?? null;
};

/** Renames a database with all that belongs to it, and answers with its new name. */
export const setAside = (file: string, now: Date): string => {
  const name = `${file}.damaged-${now.toISOString().replaceAll(':', '-')}`;
  // The file last: what is interrupted is found damaged again.
  for (const ending of ['-wal', '-shm', '']) if (existsSync(file + ending)) renameSync(file + ending, name + ending);
  rmSync(damageMarkerOf(file), { force: true });
  return name;
};
