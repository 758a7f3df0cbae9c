import { expect, it } from 'vitest';
import { openMongoConnection } from './connection.ts';

it('A connection that has reached no server ends its waiting work when it is closed', async () => {
  const connection = openMongoConnection('mongodb://127.0.0.1:1/x', 'READ_STORE_URL', async () => undefined);
  const outcome = connection.use(async () => 'done').catch((error: unknown) => (error as Error).message);
  await connection.close();
  expect(await outcome).toBe('the connection to MongoDB is closed');
  await expect(connection.use(async () => 'done')).rejects.toThrow('the connection to MongoDB is closed');
});
