import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { EnvironmentVariables } from './colophon-process.ts';
import { isOnServers } from '../environment.ts';
import { type CommandLine, commandLineOf, openTestInstallation } from './installation.ts';
import type { RunningService, TestInstallation } from './installation.ts';
import type { SharedService } from './shared-service.ts';

/** Asks the service to stop, which must end it with exit code 0. */
export const stopService = async (service: RunningService): Promise<void> =>
  expect((await service.stop('SIGTERM')).code, service.output()).toBe(0);

/** Starts one service for all tests of a file. At the end it must stop with exit code 0. */
export const serviceForTestFile = (
  settings: () => EnvironmentVariables | Promise<EnvironmentVariables> = () => ({}),
) => {
  const at = {} as { installation: TestInstallation; service: RunningService };
  beforeAll(async () => {
    at.installation = await openTestInstallation(await settings());
    at.service = await at.installation.start();
  });
  afterAll(async () => {
    try {
      if (at.service) await stopService(at.service);
    } finally {
      await at.installation?.remove();
    }
  });
  return at;
};

/**
 * One service for all test files of a run that need no settings, do not stop it, and check only what their own accounts do.
 * Documents may load from `reachableHost`.
 */
export const sharedService = () => {
  const at = {} as { installation: CommandLine; service: Pick<RunningService, 'url'> };
  beforeAll(async () => {
    const response = await fetch(inject('sharedServiceUrl'));
    expect(response.status, await response.clone().text()).toBe(200);
    const { url, env } = (await response.json()) as SharedService;
    expect('EVENT_STORE_URL' in env, 'the shared service has the engines of this project').toBe(isOnServers);
    at.installation = commandLineOf(env);
    at.service = { url };
  });
  return at;
};
