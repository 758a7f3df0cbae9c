import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import selfsigned from 'selfsigned';
import { openNatsReplies } from '#libs/replies/nats.ts';
import { openJetStreamBus } from '#libs/bus/jetstream.ts';
import { temporaryFolder } from '../support/contract/temporary-folder.ts';
import { freePort } from '../support/network/free-port.ts';
import { isNatsAvailable, type NatsServer, type NatsServerOptions, startNatsServer } from '../support/nats/server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const serverWith = async (settings: NatsServerOptions): Promise<NatsServer> => {
  const server = await startNatsServer(settings);
  closing.push(() => server.remove());
  return server;
};
const open = (url: string) => {
  const bus = openJetStreamBus(url);
  closing.push(() => bus.close());
  return bus;
};
const waitOptions = { timeout: 60_000, interval: 20 };
/** Waits until the bus reports a matching problem, which must name the setting. */
const waitForProblem = async (url: string, pattern: RegExp): Promise<string | null> => {
  const bus = open(url);
  await vi.waitFor(() => expect(bus.missing()).toMatch(pattern), waitOptions);
  expect(bus.missing()).toMatch(/BUS_URL/);
  return bus.missing();
};
const secrets = /hush|geheim/;
const waitUntilAvailable = async (engine: { missing(): string | null }): Promise<string | null> => {
  await vi.waitFor(() => expect(engine.missing()).toBeNull(), waitOptions);
  return engine.missing();
};

/** A server that sends a greeting like a NATS server and answers pings only. */
const openGreetingServer = async (greeting: string): Promise<string> => {
  const server: Server = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .on('data', (data) => data.toString().includes('PING') && socket.write('PONG\r\n'))
        .write(greeting),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => void server.close());
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('A bus on NATS that cannot serve says why, and names the setting,', () => {
  it.each([
    'nats://',
    'nats:///x',
    'http://localhost',
    'localhost:4222',
    'nats://a b',
    'nats://u:geheim@',
    'nats://one:4222,http://u:geheim@two',
    '',
  ])('at once, when "%s" is not an address', (url) => {
    expect(() => openJetStreamBus(url)).toThrow(/BUS_URL .*nats:\/\/host:port/);
    try {
      openJetStreamBus(url);
    } catch (error) {
      expect(String(error)).not.toContain('geheim');
    }
  });

  it('when nothing listens at the port', async () =>
    expect(await waitForProblem(`nats://127.0.0.1:${await freePort()}`, /nothing listens at the port/)).not.toMatch(
      secrets,
    ));
  it('when the server closes connections at once', async () => {
    const server = createServer((socket) => void socket.on('error', () => undefined).destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => void server.close());
    expect(
      await waitForProblem(
        `nats://me:geheim@127.0.0.1:${(server.address() as AddressInfo).port}`,
        /closes the connection at once/,
      ),
    ).not.toMatch(secrets);
  });
  it('when the host name has no address', async () =>
    expect(await waitForProblem('nats://nowhere.invalid', /has no address|did not answer/)).not.toMatch(secrets));
  it('when the server is not a NATS server', async () =>
    expect(
      await waitForProblem(await openGreetingServer('HTTP/1.1 400 Bad Request\r\n\r\n'), /not a NATS server/),
    ).not.toMatch(secrets));
  it('when the server is too old', async () =>
    expect(
      await waitForProblem(
        await openGreetingServer(
          'INFO {"server_id":"X","version":"2.8.4","proto":1,"headers":true,"max_payload":1048576,"jetstream":true}\r\n',
        ),
        /has version 2\.8\.4; at least 2\.9/,
      ),
    ).not.toMatch(secrets));
});

describe.skipIf(!isNatsAvailable)('A bus on a NATS server that cannot serve says why', () => {
  const users = 'authorization { users: [ { user: "me", password: "geheim" } ] }';

  it('when the password is wrong, and not with the right one', async () => {
    const server = await serverWith({ configurationLines: users });
    expect(
      await waitForProblem(
        `nats://me:hush@127.0.0.1:${server.port}`,
        /rejected the user name, the password or the token/,
      ),
    ).not.toMatch(secrets);
    expect(await waitForProblem(`nats://127.0.0.1:${server.port}`, /rejected/)).not.toMatch(secrets);
    expect(await waitUntilAvailable(open(`nats://me:geheim@127.0.0.1:${server.port}`))).toBeNull();
  });

  it('when the token is wrong', async () => {
    const server = await serverWith({ configurationLines: 'authorization { token: "geheim" }' });
    expect(await waitForProblem(`nats://hush@127.0.0.1:${server.port}`, /rejected/)).not.toMatch(secrets);
    expect(await waitUntilAvailable(open(`nats://geheim@127.0.0.1:${server.port}`))).toBeNull();
  });

  it('when JetStream is not enabled, which replies do not need', async () => {
    const server = await serverWith({ jetstream: false });
    expect(await waitForProblem(server.url, /JetStream is not enabled/)).not.toMatch(secrets);
    const replies = openNatsReplies(server.url);
    closing.push(() => replies.close());
    expect(await waitUntilAvailable(replies)).toBeNull();
  });

  it('when it does not support TLS, or its certificate is not trusted', async () => {
    const plain = await serverWith({});
    expect(await waitForProblem(`tls://127.0.0.1:${plain.port}`, /does not support TLS/)).not.toMatch(secrets);
    const { folder, remove } = await temporaryFolder();
    closing.push(remove);
    const { cert, private: key } = await selfsigned.generate([{ name: 'commonName', value: 'localhost' }]);
    await Promise.all([writeFile(join(folder, 'cert.pem'), cert), writeFile(join(folder, 'key.pem'), key)]);
    const secured = await serverWith({
      configurationLines: `tls { cert_file: "${folder}/cert.pem", key_file: "${folder}/key.pem" }`,
    });
    expect(await waitForProblem(`tls://127.0.0.1:${secured.port}`, /certificate .* is not trusted/)).not.toMatch(
      secrets,
    );
    expect(await waitForProblem(secured.url, /certificate .* is not trusted/)).not.toMatch(secrets);
  });

  it('when the server becomes unavailable later, and until it is back', async () => {
    const server = await serverWith({});
    const bus = open(server.url);
    expect(await waitUntilAvailable(bus)).toBeNull();
    await server.kill();
    await vi.waitFor(() => expect(bus.missing()).toMatch(/BUS_URL/), waitOptions);
    await server.start();
    expect(await waitUntilAvailable(bus)).toBeNull();
  });

  it('and uses another server of several when one is unavailable', async () => {
    const server = await serverWith({});
    const bus = open(`nats://127.0.0.1:${await freePort()},127.0.0.1:${server.port}`);
    expect(await waitUntilAvailable(bus)).toBeNull();
    await bus.publish({ id: 'x', subject: 'work', data: {} });
  });

  it('while a message cannot be stored, and not after its sender has stopped waiting', async () => {
    const server = await serverWith({
      configurationLines:
        'accounts { A { jetstream { max_streams: 1 }, users: [ { user: "me", password: "geheim" } ] } }',
    });
    const bus = open(`nats://me:geheim@127.0.0.1:${server.port}`);
    expect(await waitUntilAvailable(bus)).toBeNull();
    const sender = new AbortController();
    await bus.publish({ id: 'x', subject: 'work', data: {} });
    const published = bus.publish({ id: 'x', subject: 'other', data: {} }, sender.signal).catch(() => 'stopped');
    await vi.waitFor(() => expect(bus.missing()).toMatch(/accepts no messages: NATS says "/), waitOptions);
    sender.abort();
    expect(await published).toBe('stopped');
    expect(bus.missing()).toBeNull();
  });

  it('when the server does not respond to a message, before the connection counts as lost', async () => {
    const server = await serverWith({});
    const bus = open(server.url);
    const silent = /NATS does not respond/;
    const isReported = async (): Promise<boolean> => {
      await waitUntilAvailable(bus);
      server.suspend();
      const published = bus.publish({ id: 'x', subject: 'work', data: {} });
      await vi.waitFor(() => expect(bus.missing()).not.toBeNull(), waitOptions);
      const problem = bus.missing();
      server.resume();
      await published;
      return silent.test(String(problem));
    };
    // A test process that was paused at the wrong moment sees only the lost connection.
    await vi.waitFor(async () => expect(await isReported()).toBe(true), waitOptions);
  });

  it('when it may not store messages', async () => {
    const server = await serverWith({
      jetstream: true,
      configurationLines:
        'accounts { A { jetstream { max_file: 0, max_mem: 0, max_streams: 0 }, users: [ { user: "me", password: "geheim" } ] } }',
    });
    const bus = open(`nats://me:geheim@127.0.0.1:${server.port}`);
    const published = bus.publish({ id: 'x', subject: 'work', data: {} }).catch(() => 'closed');
    await vi.waitFor(() => expect(bus.missing()).toMatch(/accepts no messages|JetStream is not enabled/), waitOptions);
    await bus.close();
    expect(await published).toBe('closed');
  });
});
