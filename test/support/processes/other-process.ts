import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { EngineModule } from '../contract/describe-contract.ts';

export type OtherProcess = {
  /** The lines that it has written so far. */
  lines: readonly string[];
  /** Resolves once there are `count` lines. Rejects if the process ends before. */
  waitForLines(count: number): Promise<void>;
  writeLine(line: string): void;
  kill(): Promise<void>;
  /** Resolves with the exit code. */
  exited(): Promise<number | null>;
};

/** Starts a TypeScript file as a process of its own, with its argument as JSON. */
export const startProgram = (program: string, argument: unknown, shellPrefix = ''): OtherProcess => {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn('sh', ['-c', `${shellPrefix} exec "$0" "$@"`, process.execPath, path, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  const tell = (): void => watchers.forEach((look) => look());
  let complaint = '';
  let closed = false;
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (text: Buffer) => (complaint += text.toString()));
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    tell();
  });
  const end = once(child, 'close').then(([code]) => {
    closed = true;
    tell();
    return code as number | null;
  });
  return {
    lines,
    waitForLines: (count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (lines.length >= count) resolve();
          else if (closed) reject(new Error(`the process ended after ${lines.length} of ${count} lines: ${complaint}`));
          else return;
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await end;
    },
    exited: () => end,
  };
};

/** Starts a process that opens the same engine and runs an `action` of `test/support/programs/engine-actions.ts`. */
export const runInOtherProcess = (
  engineModule: EngineModule,
  action: string,
  input: Record<string, unknown> = {},
  shellPrefix = '',
): OtherProcess => startProgram('../programs/engine-actions.ts', { ...engineModule, action, input }, shellPrefix);
