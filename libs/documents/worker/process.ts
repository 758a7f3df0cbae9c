import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import type { TaskResult } from './task-result.ts';
import type { WorkerMessage, TaskRequest } from './worker.ts';

/** How a process came to its end, apart from being ended by us. */
export type WorkerExit = 'out of memory' | 'never started' | 'crashed';

/** One process that carries out one order at a time. */
export type WorkerProcess = {
  /** Resolves when it has started; never where it does not. */
  ready: Promise<void>;
  send: (order: TaskRequest) => void;
  /** Leaves the processor to others that want it, from now on: an ordinary user cannot take that back. */
  lowerPriority: () => void;
  kill: () => void;
};

type WorkerEvents = { onResult: (answer: TaskResult<unknown>) => void; onExit: (end: WorkerExit) => void };

// What V8 raises when it finds no memory, and what the system sends when the machine has none left.
const memorySignals = new Set<string | null>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL']);

const { NODE_COMPILE_CACHE: compileCacheFolder } = process.env;
const compileCache = compileCacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: compileCacheFolder };

/**
 * Starts a process that runs `file`, with a heap of at most `memoryMb` MiB. It gets nothing of our environment: what it reads was written by strangers.
 * `onEnd` is called once, however it ends; never after {@link WorkerProcess.kill}.
 */
export const startWorker = (file: string, memoryMb: number, { onResult, onExit }: WorkerEvents): WorkerProcess => {
  const child = fork(file, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // Of more arenas glibc keeps free memory in each.
    env: { TZ: 'UTC', LANG: 'C.UTF-8', MALLOC_ARENA_MAX: '1', ...compileCache },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  unrefChild(child);
  const started = Promise.withResolvers<void>();
  let state: 'starting' | 'ready' | 'ended' = 'starting';
  const end = (signal: string | null): void => {
    if (state === 'ended') return;
    const before = state;
    state = 'ended';
    onExit(memorySignals.has(signal) ? 'out of memory' : before === 'ready' ? 'crashed' : 'never started');
  };
  child.on('message', (message: WorkerMessage) => {
    if (message !== 'ready') return onResult(message);
    state = 'ready';
    started.resolve();
  });
  child.on('exit', (_, signal) => end(signal));
  child.on('error', () => end(null));
  return {
    ready: started.promise,
    // A process that is gone takes no message; that it is gone is told by its end.
    send: (order) => void child.send(order, () => {}),
    lowerPriority: () => lowerPriority(child),
    kill: () => {
      state = 'ended';
      child.kill('SIGKILL');
    },
  };
};

/** Such a process has about a third of the processor time of an ordinary one, where both want it. */
const nicenessIncrement = 5;
const maxNiceness = 19;

const lowerPriority = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(maxNiceness, getPriority() + nicenessIncrement));
  } catch {
    // It has ended meanwhile, or the system does not allow it: then it goes on as it is.
  }
};

/** Keeps an idle process from keeping ours alive. */
const unrefChild = (child: ChildProcess): void => {
  child.unref();
  child.channel?.unref();
};
