import type { BlobRef } from '#contracts/events/blob-ref.ts';
import type { OutputContentType } from '#contracts/http/output.ts';
import type { BlobStore } from '#libs/blob-store/port.ts';
import { sha256Of } from '#libs/blob-store/sha256.ts';

/**
 * What a render gives: a PDF, with an image of its first page if the request asks for it; or images of type
 * `contentType` in `pdf`. `drawingEngine` is the library that drew the images, with its version.
 */
export type RenderedFiles = {
  pdf: Uint8Array;
  contentType?: OutputContentType;
  thumbnail?: Uint8Array;
  drawingEngine?: string;
};

/** The names of the files in the blob store. */
export type FileRefs = { pdf: BlobRef; thumbnail?: BlobRef };

const refOf = async (bytes: Uint8Array): Promise<BlobRef> => ({
  sha256: await sha256Of(bytes),
  size: bytes.byteLength,
});

/** The hashes and sizes that the files have in the blob store, without storing them. */
export const refsOf = async ({ pdf, thumbnail }: RenderedFiles): Promise<FileRefs> => ({
  pdf: await refOf(pdf),
  ...(thumbnail ? { thumbnail: await refOf(thumbnail) } : {}),
});

/** The engines of a render as events name them: what printed the PDF, and what drew its images. */
export const engineOf = (printedBy: string, { drawingEngine }: RenderedFiles): string =>
  drawingEngine === undefined ? printedBy : `${printedBy}, ${drawingEngine}`;

/** The files, without a thumbnail that differs from the recorded one: only recorded files are erased later. */
export const recordedFiles = async (
  { pdf, thumbnail }: RenderedFiles,
  recorded: Pick<FileRefs, 'thumbnail'>,
): Promise<RenderedFiles> =>
  thumbnail && (await sha256Of(thumbnail)) === recorded.thumbnail?.sha256 ? { pdf, thumbnail } : { pdf };

/** Stores the files, the PDF last: while it is stored, so is its thumbnail. */
export const storeFiles = async (
  blobs: Pick<BlobStore, 'put'>,
  { pdf, thumbnail }: RenderedFiles,
): Promise<FileRefs> => ({
  ...(thumbnail ? { thumbnail: await blobs.put(thumbnail) } : {}),
  pdf: await blobs.put(pdf),
});
