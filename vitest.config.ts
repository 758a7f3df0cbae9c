import { defineConfig } from 'vitest/config';

// Where there are no end-to-end tests, there is nothing to ask for servers.
type World = { areServersThere: boolean | null };
const { areServersThere } = await (import(new URL('./test/e2e/world.ts', import.meta.url).href) as Promise<World>).catch((): World => ({ areServersThere: null }));
const endToEnd = areServersThere ? 'test/e2e/**/*.test.ts' : 'test/e2e/servers-missing.ts';

const production = { extends: true as const, test: { name: 'on servers', include: [endToEnd], testTimeout: 90_000, hookTimeout: 120_000, env: { COLOPHON_TEST_WORLD: 'production' } } };

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests wait for other processes more than they work.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'embedded', include: ['{contracts,libs,application,services,test,scripts}/**/*.test.ts'] } },
      ...(areServersThere === null ? [] : [production]),
    ],
  },
});
