import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { documentNiceness, lowerSessionPriority } from '#libs/processes/processes.ts';
import type { TaskResult } from './task-result.ts';
import type { WorkerMessage } from './serve-tasks.ts';
import type { TaskRequest } from './worker.ts';

/** How a process ended, unless it was killed by the pool. */
export type WorkerExit = 'out of memory' | 'never started' | 'crashed';

export type WorkerProcess = {
  /** Resolves when the process can work; never if it ends before. */
  ready: Promise<void>;
  send: (request: TaskRequest) => void;
  kill: () => void;
};

type WorkerEvents = { onResult: (answer: TaskResult<unknown>) => void; onExit: (exit: WorkerExit) => void };

// V8 raises these signals when it is out of memory; the kernel sends SIGKILL when the machine is.
const memorySignals = new Set<string | null>(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL']);

const { NODE_COMPILE_CACHE: compileCacheFolder } = process.env;
const compileCache = compileCacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: compileCacheFolder };

/**
 * Starts a process that runs `file` with a heap of at most `memoryMb` MiB. It does not inherit the environment, because
 * its input is not trusted. `onExit` is called once; never after {@link WorkerProcess.kill}.
 */
export const startWorker = (file: string, memoryMb: number, { onResult, onExit }: WorkerEvents): WorkerProcess => {
  const child = fork(file, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`],
    // With more arenas, glibc keeps free memory in each of them.
    env: { TZ: 'UTC', LANG: 'C.UTF-8', MALLOC_ARENA_MAX: '1', ...compileCache },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A session of its own can have a priority of its own.
    detached: true,
  });
  unrefChild(child);
  lowerPriority(child);
  const ready = Promise.withResolvers<void>();
  let state: 'starting' | 'ready' | 'ended' = 'starting';
  const onEnd = (signal: string | null): void => {
    if (state === 'ended') return;
    const previous = state;
    state = 'ended';
    onExit(memorySignals.has(signal) ? 'out of memory' : previous === 'ready' ? 'crashed' : 'never started');
  };
  child.on('message', (message: WorkerMessage) => {
    if (message !== 'ready') return onResult(message);
    state = 'ready';
    ready.resolve();
  });
  child.on('exit', (_, signal) => onEnd(signal));
  child.on('error', () => onEnd(null));
  return {
    ready: ready.promise,
    // Messages to a process that has ended are dropped; `onExit` reports its end.
    send: (request) => void child.send(request, () => {}),
    kill: () => {
      state = 'ended';
      child.kill('SIGKILL');
    },
  };
};

const maxNiceness = 19;

/** Gives a process the priority of all that work on documents, relative to that of this one. */
const lowerPriority = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  void lowerSessionPriority(pid, documentNiceness);
  try {
    setPriority(pid, Math.min(maxNiceness, getPriority() + documentNiceness));
  } catch {
    // It has ended meanwhile, or the system does not allow it; then it keeps its priority.
  }
};

/** An idle process must not keep this process alive. */
const unrefChild = (child: ChildProcess): void => {
  child.unref();
  child.channel?.unref();
};
