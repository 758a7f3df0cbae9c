import { defineConfig } from 'vitest/config';

/** Runs the contract tests of the engines on real servers in containers: `npm run test:containers`. */
export default defineConfig({
  test: {
    include: ['test/containers/*.containers.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
