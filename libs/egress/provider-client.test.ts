import { expect, test } from 'vitest';
import { closeAfterTest, openTestEgress } from './testing/test-egress.ts';
import { startHttpServer } from './testing/test-servers.ts';

const maxBytes = 1024 * 1024;

test.each([
  ['at most 1 MiB is read whole', maxBytes],
  ['more than 1 MiB is an error', maxBytes + 1],
])('Of the response of an identity provider, %s', async (_, size) => {
  const { port } = await closeAfterTest(startHttpServer((_request, response) => response.end('x'.repeat(size))));
  const { requestProvider } = await openTestEgress({ allowList: ['provider.test'] });
  const length = requestProvider(`http://provider.test:${port}/`, {}).then(
    async (response) => (await response.text()).length,
  );
  const failure = { fields: { kind: 'failed', reason: `provider.test responded with more than ${maxBytes} bytes.` } };
  expect(await length.catch((error: unknown) => error)).toEqual(
    size > maxBytes ? expect.objectContaining(failure) : size,
  );
});
