#!/usr/bin/env node
import { runCommandLine } from './cli/program.ts';

// Files that this process and its children create are for this user only.
process.umask(0o077);

// An error of the output must not end the process with another exit code and a stack. Commands that need their output
// listen too.
const outputs = [process.stdout, process.stderr];
for (const stream of outputs) stream.on('error', () => undefined);

await runCommandLine(process.argv.slice(2));
// The command is done. A driver that still tries to connect would keep the process running,
// so exit explicitly, after all output is written.
await Promise.all(outputs.map((stream) => new Promise((resolve) => stream.write('', resolve))));
process.exit();
