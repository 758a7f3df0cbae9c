import { expect, test } from 'vitest';
import { createDialler } from './dial.ts';
import { defaultLimits } from './limits.ts';
import { closeAfterTest } from './testing/test-egress.ts';
import { startTcpServer } from './testing/test-servers.ts';

test('Of the addresses of a name, eight are tried', async () => {
  const { port } = await closeAfterTest(startTcpServer((socket) => void socket.end()));
  // Only 127.0.0.1 listens.
  const refusing = Array.from({ length: 8 }, (_, at) => `127.0.0.${at + 2}`);
  const dial = (addresses: string[]) =>
    createDialler(async () => addresses.map((address) => ({ address, family: 4 })), defaultLimits)(
      { host: 'many.test', port },
      { account: 'acc_a' },
    ).then(
      (socket) => void socket.destroy(),
      (error: unknown) => error,
    );
  expect(await dial([...refusing.slice(1), '127.0.0.1'])).toBeUndefined();
  expect(await dial([...refusing, '127.0.0.1'])).toMatchObject({ fields: { kind: 'failed' } });
});
