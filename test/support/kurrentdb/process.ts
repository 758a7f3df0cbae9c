import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type FakeKurrentDbProcess = {
  port: number;
  /** A signal of the system; SIGSTOP freezes it and SIGCONT lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it without warning. */
  kill(): Promise<void>;
};

const program = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts the stand-in as a process of its own; with the same port and file again it goes on where it was. */
export const startFakeKurrentDbProcess = async (
  options: { port?: number; data?: string } = {},
): Promise<FakeKurrentDbProcess> => {
  const values = Object.entries({ ...options, parent: process.pid }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  const child = spawn(process.execPath, [program, ...values], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')])) as [unknown];
  const port = Number(/^listening on (\d+)$/.exec(String(line))?.[1]);
  if (!port) throw new Error(`the stand-in of KurrentDB did not start: ${String(line)}`);
  return {
    port,
    signal: (name) => void child.kill(name),
    kill: async () => {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    },
  };
};
