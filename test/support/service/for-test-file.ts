import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { EnvironmentVariables } from './colophon-process.ts';
import { type CommandLine, commandLineOf, openTestInstallation } from './installation.ts';
import type { RunningService, TestInstallation } from './installation.ts';
import type { SharedService } from './shared-service.ts';

/** One service for all tests of a file; at the end it is told to stop, and has to do so with exit code 0. */
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
      if (at.service) expect((await at.service.stop('SIGTERM')).code).toBe(0);
    } finally {
      await at.installation?.remove();
    }
  });
  return at;
};

/** One service for the files of a whole run that need no settings of their own, do not stop it, and look at nothing but what their own accounts do. */
export const sharedService = () => {
  const at = {} as { installation: CommandLine; service: Pick<RunningService, 'url'> };
  beforeAll(async () => {
    const response = await fetch(inject('sharedServiceUrl'));
    expect(response.status, await response.clone().text()).toBe(200);
    const { url, env } = (await response.json()) as SharedService;
    at.installation = commandLineOf(env);
    at.service = { url };
  });
  return at;
};
