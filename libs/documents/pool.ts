import { Piscina } from 'piscina';
import { Problem } from '#contracts/http/problem.ts';
import type { Answer } from './worker/answer.ts';
import type { Tasks } from './worker/worker.ts';

/** Threads for work that is fed by callers: each with a memory limit, each task with a deadline; a thread that breaks one is ended and replaced. */
export type Pool = {
  /** Throws the Problem that the task raised, or that ending it comes to. `timeoutMs` counts from the call, waiting included. */
  run: <Name extends keyof Tasks>(task: Name, input: Tasks[Name]['input'], options: { timeoutMs: number; transfer?: ArrayBuffer[] }) => Promise<Tasks[Name]['output']>;
  close: () => Promise<void>;
};

const workerFile = new URL('./worker/worker.ts', import.meta.url).href;

/** @param memoryMb limit of the JavaScript heap of one thread, in MiB */
export const openPool = ({ threads, memoryMb }: { threads: number; memoryMb: number }): Pool => {
  const piscina = new Piscina({
    filename: workerFile,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  // A thread that dies between two tasks is replaced all the same; without a listener it would end the process.
  piscina.on('error', () => {});
  return {
    run: async (task, input, { timeoutMs, transfer }) => {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      try {
        const answer: Answer<Tasks[typeof task]['output']> = await piscina.run({ task, input }, { signal: deadline.signal, transferList: transferable(transfer) });
        if ('fault' in answer) throw Problem.from(answer.fault);
        return answer.value;
      } catch (error) {
        throw explained(error, deadline.signal.aborted, timeoutMs, memoryMb);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => piscina.destroy(),
  };
};

// The library's type names only what structuredClone takes; at run time it is a list for postMessage.
const transferable = (buffers: ArrayBuffer[] = []) => buffers as NonNullable<Parameters<Piscina['run']>[1]>['transferList'];

const explained = (error: unknown, late: boolean, timeoutMs: number, memoryMb: number): unknown => {
  if (error instanceof Problem) return error;
  if (late) return Problem.of('processing_timeout', `The document could not be converted within ${timeoutMs / 1000} seconds.`, { timeout_seconds: timeoutMs / 1000 });
  if (isOutOfMemory(error)) return Problem.of('conversion_failed', 'The document needs more memory to convert than there is for one. Split it into smaller ones.', { details: { reason: 'out of memory', limit_mb: memoryMb } });
  return error;
};

const isOutOfMemory = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
