import { defineConfig } from 'vitest/config';

/** The contracts of the engines on the real servers, in containers: `npm run test:containers`. */
export default defineConfig({
  test: {
    include: ['test/containers/*.containers.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
