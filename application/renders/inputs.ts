import type { BlobRef } from '#contracts/events/render.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import type { Requested } from './produce.ts';

const inputsOf = ({ source, bands }: Requested): BlobRef[] => {
  const ofSource = source.mode === 'CONVERT' ? [source.input] : [source.content, source.settings, source.data];
  return [...ofSource, ...[bands.header, bands.footer].filter((ref) => ref !== null)];
};

/** The same blob store with everything that the render is made from already read. @throws BlobMissing */
export const withInputs = async (blobs: BlobStore, requested: Requested): Promise<BlobStore> => {
  const read = new Map(await Promise.all(inputsOf(requested).map(async ({ sha256 }) => [sha256, await blobs.get(sha256)] as const)));
  return { ...blobs, get: async (sha256) => read.get(sha256) ?? blobs.get(sha256) };
};
