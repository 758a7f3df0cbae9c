import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { serviceForTestFile } from './for-test-file.ts';

/** A service for the test file, and documents that are under way until `release`: each waits for an image. */
export const serviceWithHeldDocuments = (renderConcurrency: number) => {
  const held: (() => void)[] = [];
  const site = createServer((_, response) => void held.push(() => void response.writeHead(404).end()));
  const port = (): number => (site.address() as AddressInfo).port;
  const release = (): void => held.splice(0).forEach((send) => send());
  const at = serviceForTestFile(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    return { COLOPHON_EGRESS_ALLOW: `127.0.0.1:${port()}`, RENDER_CONCURRENCY: String(renderConcurrency) };
  });
  afterAll(() => {
    release();
    site.close().closeAllConnections();
  });
  const heldDocument = (): string => `<p>held<img src="http://127.0.0.1:${port()}/${Math.random()}.png">`;
  return { at, heldDocument, release, heldImages: (): number => held.length };
};
