import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startHealthServer } from './health-server.ts';

it('The health server names the variable of its port if another process took the port meanwhile', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const settings = { host: '127.0.0.1', port: 0, healthPort: port, metricsToken: undefined };
  const started = startHealthServer(settings, null as never, () => ({ missing: [], limitations: [] }));
  await expect(started).rejects.toThrow(`Port ${port} is in use; set HEALTH_PORT to a free port.`);
  other.close();
});
