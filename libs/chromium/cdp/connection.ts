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

/** One target's own line to the browser; the browser itself where `id` is undefined. */
export type Session = {
  id: string | undefined;
  /** Sends a command; throws CommandFailed with the browser's own message, or BrowserGone. */
  send<M extends Method>(method: M, ...params: Commands[M]['paramsType']): Promise<Commands[M]['returnType']>;
  /** Calls the listener at each such event of this session, until the returned function is called. */
  on<E extends EventName>(event: E, listener: (params: Events[E][0]) => void): () => void;
  /** The first such event from now on that passes the test; rejects when the session fails. */
  nextEvent<E extends EventName>(event: E, passes: (params: Events[E][0]) => boolean): Promise<Events[E][0]>;
  /** Fails all that is under way, and all that follows, with the error. */
  fail(error: Error): void;
};

export type Connection = Session & {
  session(id: string): Session;
  /** Forgets a session whose target is gone. */
  removeSession(id: string): void;
  /** Settles when the line is closed from the other side, or has failed. */
  closed: Promise<void>;
};

/** A PDF of a hundred megabytes, in base64. Far larger ones would not even fit into a string, and much smaller ones hold up everybody while they are read. */
export const maxResponseBytes = Math.ceil((100 * 2 ** 20 * 4) / 3) + 1000;

/** What a page's scripts say can be of any size and come any number of times, and is only ever shown cut: what is longer is not taken in. */
const maxConsoleMessageBytes = 2 ** 20;
const isConsoleMessage = (beginning: string): boolean =>
  /^\{"method":"(?:Runtime\.consoleAPICalled|Runtime\.exceptionThrown|Log\.entryAdded)"/.test(beginning);

/** So that nothing is lost without a word: that there was a message, and how long it was. */
const omittedMessageEntry = (beginning: string, ending: string, bytes: number): EventMessage => {
  const [, sessionId] = /"sessionId":"([^"]+)"\}$/.exec(ending) ?? [];
  const text = `(a message of ${(bytes / 2 ** 20).toFixed(1)} MB, too long to be shown)`;
  return {
    method: 'Log.entryAdded',
    params: { entry: { level: beginning.includes('exceptionThrown') ? 'error' : 'info', text } },
    ...(sessionId ? { sessionId } : {}),
  };
};

/** Speaks the DevTools protocol over the browser's pipe (`--remote-debugging-pipe`): JSON, each message ended by a NUL. */
export const connect = (write: Writable, read: Readable, mostBytes = maxResponseBytes): Connection => {
  const pending = new Map<number, PendingCommand>();
  const listeners = new Map<string | undefined, Map<EventName, Set<Listener>>>();
  const failures = new Map<string | undefined, Error>();
  const waiting = new Map<(error: Error) => void, string | undefined>();
  let lastId = 0;
  const over = Promise.withResolvers<void>();

  const settle = (answer: CommandResponse) => {
    const call = pending.get(answer.id);
    if (!call) return;
    pending.delete(answer.id);
    if (answer.error) call.reject(new CommandFailed(`${call.method}: ${answer.error.message}`));
    else call.resolve(answer.result as never);
  };

  const tell = ({ method, params, sessionId }: EventMessage) => {
    for (const listener of listeners.get(sessionId)?.get(method) ?? []) listener(params as never);
  };

  const fail = (sessionId: string | undefined, error: Error) => {
    if (failures.has(sessionId)) return;
    failures.set(sessionId, error);
    if (sessionId === undefined) over.resolve();
    listeners.delete(sessionId);
    for (const [id, call] of pending) {
      if (sessionId !== undefined && call.sessionId !== sessionId) continue;
      pending.delete(id);
      call.reject(error);
    }
    for (const [reject, ofSession] of waiting) {
      if (sessionId !== undefined && ofSession !== sessionId) continue;
      waiting.delete(reject);
      reject(error);
    }
  };

  const listen = (id: string | undefined, event: EventName, listener: Listener) => {
    const ofSession = listeners.get(id) ?? new Map<EventName, Set<Listener>>();
    listeners.set(id, ofSession);
    const set = ofSession.get(event) ?? new Set();
    ofSession.set(event, set.add(listener));
    return () => void set.delete(listener);
  };

  const forget = (id: string) => {
    fail(id, new BrowserGone('The page is closed.'));
    failures.delete(id);
  };

  const session = (id: string | undefined): Session => ({
    id,
    send: (method, ...[params]) =>
      new Promise((resolve, reject) => {
        const failure = failures.get(undefined) ?? failures.get(id);
        if (failure) return reject(failure);
        const call = { id: ++lastId, method, params, sessionId: id };
        pending.set(call.id, { sessionId: id, method, resolve, reject });
        write.write(`${JSON.stringify(call)}\0`);
      }),
    on: (event, listener) => listen(id, event, listener),
    nextEvent: (event, passes) =>
      new Promise((resolve, reject) => {
        const failure = failures.get(undefined) ?? failures.get(id);
        if (failure) return reject(failure);
        waiting.set(reject, id);
        const off = listen(id, event, (params: never) => {
          if (!passes(params)) return;
          off();
          waiting.delete(reject);
          resolve(params);
        });
      }),
    fail: (error) => fail(id, error),
  });

  const hear = (text: string) => {
    const message = JSON.parse(text) as CommandResponse | EventMessage;
    if ('id' in message) settle(message);
    else tell(message);
  };
  const refuse = ({ beginning, ending, bytes }: { beginning: string; ending: string; bytes: number }) => {
    if (isConsoleMessage(beginning)) return tell(omittedMessageEntry(beginning, ending, bytes));
    const id = Number(/^\{"id":(\d+)[,}]/.exec(beginning)?.[1]);
    const call = pending.get(id);
    pending.delete(id);
    call?.reject(new ResponseTooLarge(`${call.method}: the answer has ${bytes} bytes`, bytes));
  };
  read.on(
    'data',
    createMessageParser(hear, {
      maxBytes: (beginning) => (isConsoleMessage(beginning) ? Math.min(mostBytes, maxConsoleMessageBytes) : mostBytes),
      onMessage: refuse,
    }),
  );
  const end = () => fail(undefined, new BrowserGone('The browser ended.'));
  read.once('close', end).once('end', end).once('error', end);
  write.on('error', end);

  return { ...session(undefined), session: (id) => session(id), removeSession: forget, closed: over.promise };
};
