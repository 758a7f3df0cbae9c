import type { SqliteDatabase } from './database.ts';

/** Reads and writes the id of the installation that a database file belongs to. It is stored once. */
export const openSqliteInstallationId = (database: SqliteDatabase) => {
  database.exec(
    'CREATE TABLE IF NOT EXISTS installation (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT',
  );
  const installationId = async (): Promise<string | null> =>
    (database.get('SELECT id FROM installation')?.id as string | undefined) ?? null;
  return {
    installationId,
    setInstallationId: async (id: string): Promise<string> => {
      database.run('INSERT INTO installation VALUES (1, ?) ON CONFLICT DO NOTHING', id);
      return (await installationId())!;
    },
  };
};
