import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EnvironmentVariables, runColophon, startColophon } from '../support/service/colophon-process.ts';
import { runColophonHere } from '../support/service/in-process-command.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'colophon-addresses-'))));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const secret = 'a secret for tests that is long enough';
/** Addresses of servers that do not run. A test replaces one of them. */
const servers = {
  EVENT_STORE_URL: 'kurrentdb://127.0.0.1:1?tls=false',
  BUS_URL: 'nats://127.0.0.1:1',
  READ_STORE_URL: 'mongodb://127.0.0.1:1/x',
};
const environment = (settings: EnvironmentVariables): EnvironmentVariables => ({
  PORT: '0',
  COLOPHON_DATA_DIR: folder,
  COLOPHON_SECRET: secret,
  ...settings,
});

/** One of each engine, for tests that start the service. */
const wrongAtStart = [
  ['EVENT_STORE_URL', 'kurrentdb://me:geheim@127.0.0.1:1?tlsCAFile=/nowhere', 'tlsCAFile'],
  ['BUS_URL', 'nats://me:geheim@', 'nats://host:port'],
  ['READ_STORE_URL', 'mongodb://me:geheim@127.0.0.1:1/x?nonsense=1', 'nonsense'],
  ['BLOB_STORE_URL', 'gridfs://me:geheim@', 'mongodb://'],
] as const;
const wrong = [
  ...wrongAtStart,
  ['EVENT_STORE_URL', 'kurrentdb://me:geheim@', 'host:port'],
  ['READ_STORE_URL', 'mongodb://me:geheim@127.0.0.1:1/a.b', "'.'"],
] as const;

describe('An invalid server address', () => {
  it.each(wrong)('ends a command with one error message: %s=%s', async (variable, address, about) => {
    const { code, stderr } = await runColophonHere(
      ['account', 'list'],
      environment({ ...servers, [variable]: address }),
    );
    expect(stderr.split('\n')).toEqual([expect.stringMatching(new RegExp(`^${variable} `)), '']);
    expect(stderr).toContain(about);
    expect(stderr).not.toContain('geheim');
    expect(code).toBe(1);
  });

  /** The engines are opened by different parts of the service, but each of them in one way. */
  it.each(wrongAtStart)('ends the service with one error message: %s=%s', async (variable, address, about) => {
    const { code, stdout, stderr } = await runColophon(
      ['start', 'projector', 'relay', 'delivery', 'api'],
      environment({ ...servers, [variable]: address }),
    );
    const said = stdout + stderr;
    expect(said).toMatch(new RegExp(`"level":"fatal",[^\n]*"msg":"${variable} `));
    expect(said).toContain(about);
    expect(said).not.toMatch(/geheim|\bat \S+\.ts:\d+/);
    expect(code).toBe(1);
  });
});

/** A server that accepts connections and sends nothing. */
const openSilentServer = async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = (): void => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, isConnected: () => sockets.length > 0, close };
};

it('A service whose servers accept connections and do not respond ends after SIGTERM', async () => {
  const [events, bus, reads] = await Promise.all([openSilentServer(), openSilentServer(), openSilentServer()]);
  const { child, exited: ended } = startColophon(['start', 'relay'], {
    COLOPHON_DATA_DIR: folder,
    COLOPHON_SECRET: secret,
    EVENT_STORE_URL: `kurrentdb://127.0.0.1:${events.port}?tls=false`,
    BUS_URL: `nats://127.0.0.1:${bus.port}`,
    READ_STORE_URL: `mongodb://127.0.0.1:${reads.port}/x`,
  });
  try {
    const areConnected = () => ({
      events: events.isConnected(),
      bus: bus.isConnected(),
      reads: reads.isConnected(),
    });
    await expect.poll(areConnected).toEqual({ events: true, bus: true, reads: true });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  } finally {
    child.kill('SIGKILL');
    for (const server of [events, bus, reads]) server.close();
  }
});

it('A command that waits for a server says which one and how long', async () => {
  const {
    child,
    output: said,
    exited: ended,
  } = startColophon(['account', 'list'], { COLOPHON_DATA_DIR: folder, COLOPHON_SECRET: secret, ...servers });
  try {
    await expect.poll(() => said.stderr).toMatch(/^Waiting for up to 15 s: .*Check BUS_URL\..*\n$/);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

it.each([
  [
    { EVENT_STORE_URL: servers.EVENT_STORE_URL, BUS_URL: servers.BUS_URL },
    'EVENT_STORE_URL and BUS_URL name servers, but READ_STORE_URL names a file',
    [[runColophon, 'start', 'renderer']],
  ],
  [
    { BUS_URL: servers.BUS_URL },
    'BUS_URL names a server, but EVENT_STORE_URL and READ_STORE_URL name files',
    [
      [runColophon, 'start'],
      [runColophonHere, 'account', 'list'],
    ],
  ],
] as const)(
  'A combination of files and servers that could lose tasks is rejected at start and by commands',
  async (settings, sentence, commands) => {
    for (const [run, ...args] of commands) {
      const { code, stdout, stderr } = await run(args, environment(settings));
      expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
      expect(stderr).toContain(sentence);
    }
  },
);
