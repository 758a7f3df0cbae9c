import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export type KurrentDbStandInProcess = {
  port: number;
  /** Sends a signal: SIGSTOP suspends the process, SIGCONT resumes it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills the process. */
  kill(): Promise<void>;
};

const program = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Starts the KurrentDB stand-in as a process. With the same port and file it continues where it stopped. */
export const startKurrentDbStandInProcess = async (
  options: { port?: number; data?: string } = {},
): Promise<KurrentDbStandInProcess> => {
  const values = Object.entries({ ...options, parent: process.pid }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  const child = spawn(process.execPath, [program, ...values], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')])) as [unknown];
  const port = Number(/^listening on (\d+)$/.exec(String(line))?.[1]);
  if (!port) throw new Error(`the KurrentDB stand-in did not start: ${String(line)}`);
  return {
    port,
    signal: (name) => void child.kill(name),
    kill: async () => {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    },
  };
};
