import type { SqliteDatabase } from './database.ts';

/** The mark of a database file: the installation that it belongs to, written once. */
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
