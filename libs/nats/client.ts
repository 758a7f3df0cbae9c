import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { parseNatsUrl } from './address.ts';
import { describeConnectionError } from './errors.ts';

/** A connection to NATS that is made again for as long as it takes. */
export type NatsClient = {
  /** The connection, once it is up. @throws Error when the link is closed */
  waitForConnection(): Promise<NatsConnection>;
  /** The connection, if it is up now. */
  currentConnection(): NatsConnection | null;
  /** Told of each time that the connection has come up, the first and every later one. */
  onConnected(listener: (connection: NatsConnection) => void): void;
  /** Null when the server can serve; else a sentence on what is wrong. */
  missing(): string | null;
  isClosed(): boolean;
  close(): Promise<void>;
};

/** What is wrong with a server that was reached, as the second half of a sentence; null for one that can serve. Asked again and again until it can. */
export type ServerCheck = (connection: NatsConnection, where: string) => Promise<string | null>;

// A frozen server keeps its sockets open: only a ping without an answer tells.
const connectionOptions = {
  timeout: 5_000,
  pingInterval: 2_000,
  maxPingOut: 2,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
};
/** How long is waited between attempts. A part of it is chance, so that not all processes come at once. */
const randomRetryDelayMs = (): number => 250 + Math.random() * 500;

export type NatsClientOptions = {
  checkServer?: ServerCheck;
  /** Whether what is sent over the connection comes back to who listens on it. */
  echo?: boolean;
};

/** Opens the way to the servers of `url`, at once; the connection comes when it comes. `name` is what the server's monitoring calls it. @throws Error for a URL that names no server */
export const openNatsClient = (
  url: string,
  name: string,
  { checkServer = async () => null, echo = true }: NatsClientOptions = {},
): NatsClient => {
  const { servers, tls, credentials } = parseNatsUrl(url);
  const where = `NATS at ${servers.join(', ')}`;
  const options: NodeConnectionOptions = {
    ...connectionOptions,
    servers,
    name,
    noEcho: !echo,
    reconnectDelayHandler: randomRetryDelayMs,
    noAsyncTraces: true,
    ...credentials,
    ...(tls ? { tls: {} } : {}),
  };
  const over = new AbortController();
  const listeners = new Set<(connection: NatsConnection) => void>();
  let trouble: string | null = `${where} has not answered yet`;
  let opened: NatsConnection | null = null;
  let current: NatsConnection | null = null;
  const changes = createChangeSignal();

  const rest = (): Promise<unknown> =>
    sleep(randomRetryDelayMs(), undefined, { signal: over.signal }).catch(() => undefined);

  const goDown = (reason: string): void => {
    trouble = reason;
    current = null;
  };

  let inspections = 0;
  const comeUp = async (connection: NatsConnection): Promise<void> => {
    const mine = (inspections += 1);
    for (;;) {
      const complaint = await checkServer(connection, where).catch((error: unknown) =>
        describeConnectionError(error, where),
      );
      if (over.signal.aborted || connection.isClosed() || mine !== inspections) return;
      if (complaint === null) break;
      goDown(complaint);
      await rest();
    }
    trouble = null;
    current = connection;
    changes.notify();
    for (const listener of listeners) listener(connection);
  };

  const follow = async (connection: NatsConnection): Promise<void> => {
    void comeUp(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection')
        goDown(`the connection to ${where} is lost and is being made again`);
      if (status.type === 'error' && !current) trouble = describeConnectionError(status.error, where);
      if (status.type === 'reconnect') void comeUp(connection);
    }
  };

  const stayConnected = async (): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        opened = await connect(options);
        if (over.signal.aborted) await opened.close();
        await follow(opened);
        goDown(`the connection to ${where} has ended`);
      } catch (error) {
        trouble = describeConnectionError(error, where);
      }
      await rest();
    }
  };
  void stayConnected();

  return {
    waitForConnection: async () => {
      while (!over.signal.aborted) {
        if (current) return current;
        await changes.waitForChange(over.signal);
      }
      throw new Error('the connection to NATS is closed');
    },
    currentConnection: () => current,
    onConnected: (listener) => {
      listeners.add(listener);
      if (current) listener(current);
    },
    missing: () => (trouble === null ? null : `The bus cannot be used: ${trouble}. Look at BUS_URL.`),
    isClosed: () => over.signal.aborted,
    close: async () => {
      over.abort();
      goDown('it is closed');
      await opened?.close().catch(() => undefined);
    },
  };
};
