import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { ResponseTooLarge, BrowserGone, CommandFailed } from './errors.ts';
import { createMessageParser } from './message-parser.ts';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;
export type Method = keyof Commands;
export type EventName = keyof Events;
type Listener = (params: never) => void;

type CommandResponse = { id: number; result?: unknown; error?: { message: string } };
type EventMessage = { method: EventName; params: unknown; sessionId?: string };
type PendingCommand = {
  sessionId: string | undefined;
  method: string;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
};

/** The connection to one target, or to the browser itself. */
export type Session = {
  /** Sends a command. @throws CommandFailed with the browser's message, or BrowserGone */
  send<M extends Method>(method: M, ...params: Commands[M]['paramsType']): Promise<Commands[M]['returnType']>;
  /** Calls the listener for each such event of this session. Returns a function that removes it. */
  on<E extends EventName>(event: E, listener: (params: Events[E][0]) => void): () => void;
  /** The next such event that passes the test. Rejects when the session fails. */
  nextEvent<E extends EventName>(event: E, passes: (params: Events[E][0]) => boolean): Promise<Events[E][0]>;
  /** Rejects everything pending in the session, and everything later, with the error. */
  fail(error: Error): void;
};

export type Connection = Session & {
  session(id: string): Session;
  removeSession(id: string): void;
  closed: Promise<void>;
};

/**
 * A PDF of 100 MB in base64. Far larger responses do not fit into a string, and large ones block the process while they
 * are parsed.
 */
export const maxResponseBytes = Math.ceil((100 * 2 ** 20 * 4) / 3) + 1000;

/** Console messages of a page can be of any size and number, and are shown truncated, so longer ones are not read. */
const maxConsoleMessageBytes = 2 ** 20;
const isConsoleMessage = (beginning: string): boolean =>
  /^\{"method":"(?:Runtime\.consoleAPICalled|Runtime\.exceptionThrown|Log\.entryAdded)"/.test(beginning);

const omittedMessageEntry = (beginning: string, ending: string, bytes: number): EventMessage => {
  const [, sessionId] = /"sessionId":"([^"]+)"\}$/.exec(ending) ?? [];
  const text = `(a message of ${(bytes / 2 ** 20).toFixed(1)} MB, too long to be shown)`;
  return {
    method: 'Log.entryAdded',
    params: { entry: { level: beginning.includes('exceptionThrown') ? 'error' : 'info', text } },
    ...(sessionId ? { sessionId } : {}),
  };
};

/**
 * Speaks the DevTools protocol over the browser's pipe (`--remote-debugging-pipe`): JSON messages, each ended by a NUL.
 */
export const connect = (write: Writable, read: Readable, maxBytes = maxResponseBytes): Connection => {
  const pending = new Map<number, PendingCommand>();
  const listeners = new Map<string | undefined, Map<EventName, Set<Listener>>>();
  const failures = new Map<string | undefined, Error>();
  const eventWaiters = new Map<(error: Error) => void, string | undefined>();
  let lastId = 0;
  const closed = Promise.withResolvers<void>();

  const settle = (response: CommandResponse) => {
    const call = pending.get(response.id);
    if (!call) return;
    pending.delete(response.id);
    if (response.error) call.reject(new CommandFailed(`${call.method}: ${response.error.message}`));
    else call.resolve(response.result as never);
  };

  const fail = (sessionId: string | undefined, error: Error) => {
    if (failures.has(sessionId)) return;
    failures.set(sessionId, error);
    if (sessionId === undefined) closed.resolve();
    listeners.delete(sessionId);
    for (const [id, call] of pending) {
      if (sessionId !== undefined && call.sessionId !== sessionId) continue;
      pending.delete(id);
      call.reject(error);
    }
    for (const [reject, sessionListeners] of eventWaiters) {
      if (sessionId !== undefined && sessionListeners !== sessionId) continue;
      eventWaiters.delete(reject);
      reject(error);
    }
  };

  const dispatch = ({ method, params, sessionId }: EventMessage) => {
    try {
      for (const listener of listeners.get(sessionId)?.get(method) ?? []) listener(params as never);
    } catch (error) {
      // Otherwise what one page sends would end the process, and the renders of all others with it.
      fail(sessionId, error as Error);
    }
  };

  const addListener = (id: string | undefined, event: EventName, listener: Listener) => {
    const sessionListeners = listeners.get(id) ?? new Map<EventName, Set<Listener>>();
    listeners.set(id, sessionListeners);
    const set = sessionListeners.get(event) ?? new Set();
    sessionListeners.set(event, set.add(listener));
    return () => void set.delete(listener);
  };

  const removeSession = (id: string) => {
    fail(id, new BrowserGone('The page is closed.'));
    failures.delete(id);
  };

  /** Without an id, the connection to the browser itself. */
  const session = (id: string | undefined): Session => ({
    send: (method, ...[params]) =>
      new Promise((resolve, reject) => {
        const failure = failures.get(undefined) ?? failures.get(id);
        if (failure) return reject(failure);
        const call = { id: ++lastId, method, params, sessionId: id };
        pending.set(call.id, { sessionId: id, method, resolve, reject });
        write.write(`${JSON.stringify(call)}\0`);
      }),
    on: (event, listener) => addListener(id, event, listener),
    nextEvent: (event, passes) =>
      new Promise((resolve, reject) => {
        const failure = failures.get(undefined) ?? failures.get(id);
        if (failure) return reject(failure);
        eventWaiters.set(reject, id);
        const off = addListener(id, event, (params: never) => {
          if (!passes(params)) return;
          off();
          eventWaiters.delete(reject);
          resolve(params);
        });
      }),
    fail: (error) => fail(id, error),
  });

  const onMessage = (text: string) => {
    const message = JSON.parse(text) as CommandResponse | EventMessage;
    if ('id' in message) settle(message);
    else dispatch(message);
  };
  const onOversizedMessage = ({ beginning, ending, bytes }: { beginning: string; ending: string; bytes: number }) => {
    if (isConsoleMessage(beginning)) return dispatch(omittedMessageEntry(beginning, ending, bytes));
    const id = Number(/^\{"id":(\d+)[,}]/.exec(beginning)?.[1]);
    const call = pending.get(id);
    pending.delete(id);
    call?.reject(new ResponseTooLarge(`${call.method}: the response has ${bytes} bytes`, bytes));
  };
  read.on(
    'data',
    createMessageParser(onMessage, {
      maxBytes: (beginning) => (isConsoleMessage(beginning) ? Math.min(maxBytes, maxConsoleMessageBytes) : maxBytes),
      onMessage: onOversizedMessage,
    }),
  );
  const end = () => fail(undefined, new BrowserGone('The browser ended.'));
  read.once('close', end).once('end', end).once('error', end);
  write.on('error', end);

  return { ...session(undefined), session, removeSession, closed: closed.promise };
};
