import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The projects that test/repo creates have no test/support; they need no servers.
type TestEnvironment = { areServersAvailable: boolean | null };
const { areServersAvailable } = await (
  import(new URL('./test/support/environment.ts', import.meta.url).href) as Promise<TestEnvironment>
).catch((): TestEnvironment => ({ areServersAvailable: null }));
const endToEndTests = areServersAvailable ? 'test/e2e/**/*.test.ts' : 'test/e2e/servers-missing.ts';

/** In each project, because projects do not take over that of the root. */
const globalSetup = areServersAvailable === null ? [] : ['test/support/service/shared-service.ts'];

const serversProject = {
  extends: true as const,
  test: {
    name: 'servers',
    include: [endToEndTests],
    globalSetup,
    env: { COLOPHON_TEST_ENVIRONMENT: 'servers' },
  },
};

export default defineConfig({
  test: {
    // What takes seconds on a quiet machine may take minutes on a busy one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Tests spend much of their time waiting for other processes, and `npm test` runs those of the dashboard beside them.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // A worker runs one file after the other. Loading the same modules again for each file takes longer than most files do.
    isolate: false,
    // Node loads the modules itself, as in the service, which takes a fifth less processor time. `vi.mock` does not work then.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'embedded',
          include: ['{contracts,libs,application,services,test,scripts}/**/*.test.ts'],
          globalSetup,
        },
      },
      ...(areServersAvailable === null ? [] : [serversProject]),
    ],
  },
});
