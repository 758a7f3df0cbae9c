import { expect, test } from 'vitest';
import { openSelectedBlobStore } from './engine-selection.ts';

test('A folder of blobs that cannot be made is an error', async () => {
  const urls = {
    dataDir: '/proc/nothing',
    eventStoreUrl: 'sqlite:',
    busUrl: 'memory:',
    readStoreUrl: 'sqlite:',
    blobStoreUrl: 'file:',
  };
  await expect(openSelectedBlobStore(urls, {} as never)).rejects.toThrow('ENOENT');
});
