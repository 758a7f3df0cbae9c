#!/usr/bin/env node
import { runCommandLine } from './cli/program.ts';

// Files that this process and its children create are for this user only.
process.umask(0o077);

// Without a reader, an error message is lost, but not the exit code.
process.stderr.on('error', () => undefined);

await runCommandLine(process.argv.slice(2));
// The command is done. A driver that still tries to connect would keep the process running,
// so exit explicitly, after all output is written.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
);
process.exit();
