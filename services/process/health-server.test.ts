import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openRawConnection } from '../../test/support/client/raw-http.ts';
import { startHealthServer } from './health-server.ts';

const health = () => ({ missing: [], limitations: [] });

it('The health server names the variable of its port if another process took the port meanwhile', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const settings = { host: '127.0.0.1', port: 0, healthPort: port, metricsToken: undefined };
  const started = startHealthServer(settings, null as never, health);
  await expect(started).rejects.toThrow(`Port ${port} is in use; set HEALTH_PORT to a free port.`);
  other.close();
});

it('The health server ends a connection with too many pipelined requests', async () => {
  const settings = { host: '127.0.0.1', port: 0, healthPort: 0, metricsToken: undefined };
  const server = await startHealthServer(settings, null as never, health);
  const { port } = server.address() as AddressInfo;
  const { socket, received, closed } = await openRawConnection(`http://127.0.0.1:${port}`);
  socket.write(
    'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200) +
      'GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  await closed;
  expect(received.text.split('HTTP/1.1 200 OK').length - 1).toBeLessThan(200);
  await server.stop();
});
