import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { openServersEnvironment } from '../environment.ts';
import type { EnvironmentVariables } from './colophon-process.ts';
import { openTestInstallation, type RunningService, type TestInstallation } from './installation.ts';

/** Where the service is, and the environment variables of its process. */
export type SharedService = { url: string; env: EnvironmentVariables };

declare module 'vitest' {
  export interface ProvidedContext {
    sharedServiceUrl: string;
  }
}

type Started = { installation: TestInstallation; service: RunningService };

const startService = async (project: TestProject): Promise<Started> => {
  const environment = project.name === 'servers' ? await openServersEnvironment() : undefined;
  const opened = await openTestInstallation({}, environment);
  const installation = {
    ...opened,
    remove: async () => {
      await opened.remove();
      await environment?.close();
    },
  };
  try {
    return { installation, service: await installation.start() };
  } catch (error) {
    await installation.remove();
    throw error;
  }
};

const stopService = async ({ installation, service }: Started): Promise<void> => {
  const { code } = await service.stop('SIGTERM');
  await installation.remove();
  if (code !== 0) throw new Error(`the shared service ended with ${code}: ${service.output()}`);
};

/**
 * For one run of a project: tells test files where the shared service is. It starts when the first one asks, so that a run
 * that does not need it does not wait for it. At the end it is told to stop, and has to do so with exit code 0.
 */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  let started: Promise<Started> | undefined;
  const server = createServer((_, response) => {
    started ??= startService(project);
    started.then(
      ({ installation: { env }, service: { url } }) =>
        response.end(JSON.stringify({ url, env } satisfies SharedService)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('sharedServiceUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return async () => {
    server.close();
    server.closeAllConnections();
    const running = await started?.catch(() => undefined);
    if (running) await stopService(running);
  };
};
