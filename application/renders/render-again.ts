import { maxAttempts } from '#libs/domain/render.ts';
import type { CompletedRender } from './completed-render.ts';
import type { RenderedPdf, RenderPdfDependencies } from './render-pdf.ts';
import { renderRequested } from './render-requested.ts';
import { type FileRefs, refsOf } from './rendered-files.ts';

/**
 * `sha256` is the hash of the new PDF, and `thumbnail` its thumbnail; undefined without one. `isSame` and
 * `isSameThumbnail` say whether they have the recorded bytes.
 */
export type RenderedAgain = {
  rendered: RenderedPdf;
  sha256: string;
  thumbnail: FileRefs['thumbnail'];
  isSame: boolean;
  isSameThumbnail: boolean;
};

/** Renders the recorded request of a completed render again. @throws the errors of `renderPdf` */
export const renderAgain = async (
  dependencies: RenderPdfDependencies,
  { requested, requestedAt, completed }: CompletedRender,
): Promise<RenderedAgain> => {
  // The last attempt of a render may have been needed because its document crashes browsers.
  const isolated = completed.attempt === maxAttempts;
  const rendered = await renderRequested(dependencies, requested, requestedAt, { isolated });
  const { pdf, thumbnail } = refsOf(rendered);
  return {
    rendered,
    sha256: pdf.sha256,
    thumbnail,
    isSame: pdf.sha256 === completed.pdf.sha256,
    isSameThumbnail: thumbnail?.sha256 === completed.thumbnail?.sha256,
  };
};

/** The offset of the first byte that differs; null if there is none. If one PDF begins with the other, its length. */
export const firstDifferenceOf = (one: Uint8Array, other: Uint8Array): number | null => {
  const length = Math.min(one.byteLength, other.byteLength);
  for (let index = 0; index < length; index += 1) if (one[index] !== other[index]) return index;
  return one.byteLength === other.byteLength ? null : length;
};
