import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openTestInstallation } from '../support/service/installation.ts';

const program = fileURLToPath(new URL('../support/programs/print-loaded-packages.ts', import.meta.url));

/** Each takes from a twentieth to a tenth of the processor time of a start. */
const loadedOnDemand = ['ajv', 'undici', 'mongodb', '@kurrent/kurrentdb-client', '@nats-io/transport-node', 'sharp'];

test('A start loads only what each process needs', async () => {
  const installation = await openTestInstallation({ NODE_OPTIONS: `--import ${program}` });
  onTestFinished(() => installation.remove());
  const { stdout } = await (await installation.start()).stop('SIGTERM');
  const counts = JSON.parse(/^loaded packages: (.*)$/m.exec(stdout)![1]!) as Record<string, number>;
  expect(counts).toMatchObject({ fastify: expect.any(Number), 'css-tree': 1 });
  expect(loadedOnDemand.filter((name) => counts[name] !== undefined)).toEqual([]);
});
