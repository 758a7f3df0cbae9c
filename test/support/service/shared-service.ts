import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { openServersEnvironment, openTestEnvironment, reachableHost, type TestEnvironment } from '../environment.ts';
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

const environments: Record<string, () => Promise<TestEnvironment>> = {
  embedded: openTestEnvironment,
  servers: openServersEnvironment,
};

const startService = async ({ name }: TestProject): Promise<Started> => {
  const environment = await environments[name]!();
  const installation = await openTestInstallation({ COLOPHON_EGRESS_ALLOW: reachableHost }, environment);
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
 * Provides the address of the shared service to the test files of one run of a project. The service starts at the first
 * request, so that a run without need for it does not wait. At the end it must stop with exit code 0.
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
