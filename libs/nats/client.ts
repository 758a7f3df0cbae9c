import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { createChangeSignal } from '#libs/concurrency/change-signal.ts';
import { pause } from '#libs/concurrency/pause.ts';
import { parseNatsUrl } from './address.ts';
import { describeConnectionError } from './errors.ts';

/** A connection to NATS that reconnects until it is closed. */
export type NatsClient = {
  /** The connection, once it is up. @throws Error when the client is closed */
  waitForConnection(): Promise<NatsConnection>;
  /** The connection, if it is up now. */
  currentConnection(): NatsConnection | null;
  /** The listener is called now if the connection is up, and after every connect and reconnect. */
  onConnected(listener: (connection: NatsConnection) => void): void;
  /** Null when the server can serve; else a sentence on what is wrong. */
  missing(): string | null;
  isClosed(): boolean;
  close(): Promise<void>;
};

/**
 * What is wrong with a server that was reached, as the second half of a sentence; null when it can serve. The client
 * repeats the check until then.
 */
export type ServerCheck = (connection: NatsConnection, where: string) => Promise<string | null>;

// A frozen server keeps its sockets open. Only an unanswered ping shows it.
const connectionOptions = {
  timeout: 5_000,
  pingInterval: 2_000,
  maxPingOut: 2,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
};
/** The delay between attempts. It is random, so that the processes do not connect at the same moment. */
const randomRetryDelayMs = (): number => 250 + Math.random() * 500;

export type NatsClientOptions = {
  checkServer?: ServerCheck;
  /** Whether subscriptions of this connection receive the connection's own messages. */
  echo?: boolean;
};

/**
 * Connects to the servers of `url` in the background. `name` is the name in the server's monitoring.
 * @throws AddressError for a URL that names no server
 */
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
  const closing = new AbortController();
  const listeners = new Set<(connection: NatsConnection) => void>();
  let problem: string | null = `${where} has not answered yet`;
  let opened: NatsConnection | null = null;
  let current: NatsConnection | null = null;
  const changes = createChangeSignal();

  const waitBeforeRetry = (): Promise<void> => pause(randomRetryDelayMs(), closing.signal);

  const setUnavailable = (reason: string): void => {
    problem = reason;
    current = null;
  };

  let latestCheck = 0;
  const checkAndUse = async (connection: NatsConnection): Promise<void> => {
    const thisCheck = (latestCheck += 1);
    for (;;) {
      const found = await checkServer(connection, where).catch((error: unknown) =>
        describeConnectionError(error, where),
      );
      if (closing.signal.aborted || connection.isClosed() || thisCheck !== latestCheck) return;
      if (found === null) break;
      setUnavailable(found);
      await waitBeforeRetry();
    }
    problem = null;
    current = connection;
    changes.notify();
    for (const listener of listeners) listener(connection);
  };

  const followStatus = async (connection: NatsConnection): Promise<void> => {
    void checkAndUse(connection);
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'staleConnection')
        setUnavailable(`the connection to ${where} was lost; the service is reconnecting`);
      if (status.type === 'error' && !current) problem = describeConnectionError(status.error, where);
      if (status.type === 'reconnect') void checkAndUse(connection);
    }
  };

  const stayConnected = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        opened = await connect(options);
        if (closing.signal.aborted) await opened.close();
        await followStatus(opened);
        setUnavailable(`the connection to ${where} has ended`);
      } catch (error) {
        problem = describeConnectionError(error, where);
      }
      await waitBeforeRetry();
    }
  };
  void stayConnected();

  return {
    waitForConnection: async () => {
      while (!closing.signal.aborted) {
        if (current) return current;
        await changes.waitForChange(closing.signal);
      }
      throw new Error('the connection to NATS is closed');
    },
    currentConnection: () => current,
    onConnected: (listener) => {
      listeners.add(listener);
      if (current) listener(current);
    },
    missing: () => (problem === null ? null : `The bus cannot be used: ${problem}. Check BUS_URL.`),
    isClosed: () => closing.signal.aborted,
    close: async () => {
      closing.abort();
      setUnavailable('it is closed');
      await opened?.close().catch(() => undefined);
    },
  };
};
