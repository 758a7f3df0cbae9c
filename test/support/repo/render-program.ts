import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { runRenderCommand } from '../service/render-command.ts';

type Call = { folder: string; args: string[] };

/** Asks the test for the rendering, and behaves like the command. */
const programText = (url: string): string => `#!/usr/bin/env node
const args = process.argv.slice(2);
if (args[0] !== 'render') throw new Error('This program only renders.');
const body = JSON.stringify({ folder: process.cwd(), args });
const { code, stdout, stderr } = await (await fetch('${url}', { method: 'POST', body })).json();
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
`;

/** The program `colophon`, whose other commands are those of `program`. */
const launcherText = (program: string, renderProgram: string): string => `#!/bin/sh
if [ "$1" = render ]; then exec node '${renderProgram}' "$@"; fi
exec '${program}' "$@"
`;

/**
 * Puts a program `colophon` into the folder, which renders with a service that is running, because `colophon render`
 * starts one of its own each time. The process works in the folder of the caller meanwhile. All other commands are those
 * of `program`.
 */
export const installRenderProgram = async (
  folder: string,
  program: string,
  service: () => Parameters<typeof runRenderCommand>[0],
): Promise<{ close(): void }> => {
  const render = async ({ folder: callerFolder, args }: Call) => {
    const own = process.cwd();
    process.chdir(callerFolder);
    try {
      return await runRenderCommand(service(), args);
    } finally {
      process.chdir(own);
    }
  };
  const server = createServer((request, response) => {
    void json(request)
      .then((call) => render(call as Call))
      .catch((error: unknown) => ({ code: 1, stdout: '', stderr: String(error) }))
      .then((result) => response.end(JSON.stringify(result)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  mkdirSync(folder, { recursive: true });
  const renderProgram = join(folder, 'render.mjs');
  writeFileSync(renderProgram, programText(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  writeFileSync(join(folder, 'colophon'), launcherText(program, renderProgram));
  chmodSync(join(folder, 'colophon'), 0o755);
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
