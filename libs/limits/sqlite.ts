import { openDatabase } from '#libs/sqlite/database.ts';
import { openMark } from '#libs/sqlite/mark.ts';
import type { Allowance, Limits, LogFact, MonthInLog, ReadMonth } from './port.ts';
import { minuteEnd, minutesKeptMs, monthEnd, monthOf, monthsKept, standing } from './windows.ts';

const schema = `
  CREATE TABLE IF NOT EXISTS minutes (ends INTEGER, account TEXT, used INTEGER NOT NULL, PRIMARY KEY (ends, account)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS months (account TEXT, month TEXT, used INTEGER NOT NULL, through INTEGER NOT NULL, since INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (account, month)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS beginnings (account TEXT, month TEXT, PRIMARY KEY (account, month)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS back_meanwhile (account TEXT, month TEXT, position INTEGER, PRIMARY KEY (account, month, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS open_renders (id TEXT PRIMARY KEY, account TEXT NOT NULL, month TEXT NOT NULL, since INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

// One statement looks and counts, so that no two processes can both take what is left. It answers with no row where nothing is.
const countRequest = `
  INSERT INTO minutes SELECT ?1, ?2, 1 WHERE ?3 IS NULL OR ?3 > 0
  ON CONFLICT DO UPDATE SET used = used + 1 WHERE ?3 IS NULL OR used < ?3 RETURNING used`;
const noteRequests = 'INSERT INTO minutes VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET used = used + ?3';
const countRender = 'UPDATE months SET used = used + 1 WHERE account = ?1 AND month = ?2 AND (?3 IS NULL OR used < ?3) RETURNING used';
const takeBack = 'UPDATE months SET used = max(0, used - 1) WHERE account = ? AND month = ?';
const giveBack = 'UPDATE months SET used = max(0, used - 1), through = ?3 WHERE account = ?1 AND month = ?2 AND through < ?3';
// While the log is asked for a month, what it gives back is noted; what it gave back before is in its answer.
const noteBack = 'INSERT OR IGNORE INTO back_meanwhile SELECT account, month, ?3 FROM beginnings WHERE account = ?1 AND month = ?2';
const backSince = 'SELECT count(*) AS n, max(position) AS last FROM back_meanwhile WHERE account = ? AND month = ? AND position > ?';

/**
 * Limits in one SQLite file, shared by the processes of one machine. They survive the end of a process; nothing waits for the disk,
 * so a power cut may cost the counts of the last moments.
 */
export const openSqliteLimits = (file: string, readMonth: ReadMonth): Limits => {
  const database = openDatabase(file, 'normal');
  database.script(schema);
  database.transaction(() => {
    const isThere = database.get("SELECT 1 FROM pragma_table_info('months') WHERE name = 'since'") !== undefined;
    if (!isThere) database.script('ALTER TABLE months ADD COLUMN since INTEGER NOT NULL DEFAULT 0');
  });
  let swept = { minute: 0, month: '' };

  const sweep = (now: Date): void => {
    const [minute, month] = [minuteEnd(now).getTime(), monthOf(now)];
    if (minute !== swept.minute) database.run('DELETE FROM minutes WHERE ends < ?', minute - minutesKeptMs);
    if (month !== swept.month) database.run('DELETE FROM months WHERE month < ?', monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKept, 1))));
    swept = { minute, month };
  };

  const minuteUsed = (accountId: string, ends: number): number => Number(database.get('SELECT used FROM minutes WHERE ends = ? AND account = ?', ends, accountId)?.used ?? 0);
  const monthUsed = (accountId: string, month: string): number | undefined => database.get('SELECT used FROM months WHERE account = ? AND month = ?', accountId, month)?.used as number | undefined;

  const isCounted = (accountId: string, month: string, since: number): boolean => database.get('SELECT 1 FROM months WHERE account = ? AND month = ? AND since >= ?', accountId, month, since) !== undefined;
  const begin = (accountId: string, month: string, since: number, { used, through }: MonthInLog): void => {
    const { n, last } = database.get(backSince, accountId, month, through)!;
    if (!isCounted(accountId, month, since)) {
      database.run('INSERT OR REPLACE INTO months (account, month, used, through, since) VALUES (?, ?, ?, ?, ?)', accountId, month, Math.max(0, used - Number(n)), last ?? through, since);
      database.run('DELETE FROM open_renders WHERE account = ? AND month = ?', accountId, month);
    }
    for (const table of ['beginnings', 'back_meanwhile']) database.run(`DELETE FROM ${table} WHERE account = ? AND month = ?`, accountId, month);
  };
  /** The month's count; begun from the log where it has none yet, or one that was begun before `since`. */
  const beginMonth = async (accountId: string, month: string, since: number): Promise<number> => {
    if (isCounted(accountId, month, since)) return monthUsed(accountId, month)!;
    database.run('INSERT OR IGNORE INTO beginnings VALUES (?, ?)', accountId, month);
    const inLog = await readMonth(accountId, month);
    database.transaction(() => begin(accountId, month, since, inLog));
    return monthUsed(accountId, month)!;
  };

  const learn = (fact: LogFact): void => {
    if (fact.kind === 'accepted') database.run('DELETE FROM open_renders WHERE id = ?', fact.renderId);
    else for (const statement of [giveBack, noteBack]) database.run(statement, fact.accountId, fact.month, fact.position);
  };

  const takeRequest = (accountId: string, perMinute: number | null, now: Date): Promise<Allowance> =>
    database.together(() => {
      sweep(now);
      const resetAt = minuteEnd(now);
      const counted = database.get(countRequest, resetAt.getTime(), accountId, perMinute);
      const used = counted ? Number(counted.used) : minuteUsed(accountId, resetAt.getTime());
      return { ...standing(used, perMinute, resetAt), allowed: counted !== undefined };
    });
  const renders: Limits['renders'] = async (accountId, { perMonth, since = 0 }, now) => standing(await beginMonth(accountId, monthOf(now), since), perMonth, monthEnd(now));

  return {
    admit: async (accountId, { perMinute, ...month }, now) => ({ minute: await takeRequest(accountId, perMinute, now), month: await renders(accountId, month, now) }),
    note: async (accountId, requests, now) => {
      sweep(now);
      database.run(noteRequests, minuteEnd(now).getTime(), accountId, requests);
    },
    requests: async (accountId, perMinute, now) => {
      const resetAt = minuteEnd(now);
      return standing(minuteUsed(accountId, resetAt.getTime()), perMinute, resetAt);
    },
    takeRender: async ({ id, accountId }, { perMonth, since = 0 }, now) => {
      const month = monthOf(now);
      await beginMonth(accountId, month, since);
      const counted = await database.together(() => {
        if (database.get('SELECT 1 FROM open_renders WHERE id = ?', id)) return { used: monthUsed(accountId, month)! };
        const row = database.get(countRender, accountId, month, perMonth);
        if (row) database.run('INSERT INTO open_renders VALUES (?, ?, ?, ?)', id, accountId, month, now.getTime());
        return row;
      });
      const used = counted ? Number(counted.used) : monthUsed(accountId, month)!;
      return { ...standing(used, perMonth, monthEnd(now)), allowed: counted !== undefined };
    },
    forgoRender: async (renderId) =>
      database.transaction(() => {
        const open = database.get('DELETE FROM open_renders WHERE id = ? RETURNING account, month', renderId);
        if (open) database.run(takeBack, open.account!, open.month!);
      }),
    learn: async (facts) => {
      if (facts.length > 0) database.transaction(() => facts.forEach(learn));
    },
    openRenders: async (before) => database.all('SELECT id FROM open_renders WHERE since < ? ORDER BY since', before.getTime()).map(({ id }) => String(id)),
    builtTo: async () => Number(database.get('SELECT coalesce(max(through), 0) AS position FROM months')!.position),
    forget: async () => database.transaction(() => ['months', 'beginnings', 'back_meanwhile', 'open_renders'].forEach((table) => database.run(`DELETE FROM ${table}`))),
    renders,
    ...openMark(database),
    close: async () => database.close(),
  };
};
