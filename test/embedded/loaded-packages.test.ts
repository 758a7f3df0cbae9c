import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { areServersAvailable, openServersEnvironment, type TestEnvironment } from '../support/environment.ts';
import { openTestInstallation } from '../support/service/installation.ts';

const program = fileURLToPath(new URL('../support/programs/print-loaded-packages.ts', import.meta.url));

/** Each takes from a twentieth to a tenth of the processor time of a start. */
const loadedOnDemand = ['ajv', 'undici', 'mongodb', '@kurrent/kurrentdb-client', '@nats-io/transport-node', 'sharp'];

const packagesLoadedBy = async (environment?: TestEnvironment, ...roles: string[]): Promise<Record<string, number>> => {
  const installation = await openTestInstallation({ NODE_OPTIONS: `--import ${program}` }, environment);
  onTestFinished(() => installation.remove());
  const { stdout } = await (await installation.start(...roles)).stop('SIGTERM');
  return JSON.parse(/^loaded packages: (.*)$/m.exec(stdout)![1]!) as Record<string, number>;
};

test('A start of all roles loads no package that only some installations or requests need', async () => {
  const counts = await packagesLoadedBy();
  expect(counts).toMatchObject({ fastify: expect.any(Number), 'css-tree': 1 });
  expect(loadedOnDemand.filter((name) => counts[name] !== undefined)).toEqual([]);
});

test.skipIf(!areServersAvailable)(
  'A role without the API serves its health without compilers of JSON schemas',
  async () => {
    const counts = await packagesLoadedBy(await openServersEnvironment(), 'delivery');
    expect(counts).toMatchObject({ fastify: expect.any(Number) });
    expect(counts).not.toHaveProperty('ajv');
  },
);
