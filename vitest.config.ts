import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{contracts,libs,services,test,scripts}/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
