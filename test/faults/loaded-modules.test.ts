import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { areServersAvailable, openServersEnvironment, type TestEnvironment } from '../support/environment.ts';
import { openTestInstallation } from '../support/service/installation.ts';

const program = fileURLToPath(new URL('../support/programs/print-loaded-modules.ts', import.meta.url));

/** Each takes from a twentieth to a tenth of the processor time of a start. */
const loadedOnDemand = ['ajv', 'undici', 'mongodb', '@kurrent/kurrentdb-client', '@nats-io/transport-node', 'sharp'];

/** The number of loaded modules of each package, and the imports of TypeScript modules that Node resolved itself. */
type Loaded = { packages: Record<string, number>; resolvedByNode: string[] };

const loadedBy = async (environment?: TestEnvironment, ...roles: string[]): Promise<Loaded> => {
  const installation = await openTestInstallation({ NODE_OPTIONS: `--require ${program}` }, environment);
  onTestFinished(() => installation.remove());
  const { stdout } = await (await installation.start(...roles)).stop('SIGTERM');
  return JSON.parse(/^loaded: (.*)$/m.exec(stdout)![1]!) as Loaded;
};

test('A start of all roles loads only what every installation needs, and Node resolves no TypeScript module', async () => {
  const { packages, resolvedByNode } = await loadedBy();
  expect(packages).toMatchObject({ fastify: expect.any(Number), 'css-tree': 1 });
  expect(loadedOnDemand.filter((name) => packages[name] !== undefined)).toEqual([]);
  expect(resolvedByNode).toEqual([]);
});

test.skipIf(!areServersAvailable)(
  'A role without the API serves its health probes and loads no compilers of JSON schemas',
  async () => {
    const { packages, resolvedByNode } = await loadedBy(await openServersEnvironment(), 'delivery');
    expect(packages).toMatchObject({ fastify: expect.any(Number) });
    expect(packages).not.toHaveProperty('ajv');
    expect(resolvedByNode).toEqual([]);
  },
);
