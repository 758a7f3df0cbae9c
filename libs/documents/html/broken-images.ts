import type { Token } from 'parse5';
import { truncationReasons, findTruncationInDataUrl } from '../assets/truncated-images.ts';
import { dataImageProblem } from './data-images.ts';
import { imageAttributes, imageUrls } from './element-resources.ts';

export type BrokenImage = { url: string; line?: number | undefined; reason: string };

/** The first image that no browser can show, and those of which it shows only the beginning. */
type FoundImages = { brokenImage: BrokenImage | undefined; truncatedImages: BrokenImage[] };

/** Whether an element names several images, of which the browser selects one. */
export const hasSources = (attributes: readonly Token.Attribute[]): boolean =>
  attributes.some(({ name }) => name === 'srcset');

/** More are not reported. */
const maxTruncatedImages = 20;

/** Adds the image of a data: URL that a browser does not show, or only in part. Called for each element. */
export const addBrokenImage = (
  found: FoundImages,
  tagName: string,
  attributes: readonly Token.Attribute[],
  line: number,
): void => {
  // Most elements end here.
  const attribute = imageAttributes.get(tagName);
  if (attribute === undefined || !attributes.some(({ name }) => name === attribute) || hasSources(attributes)) return;
  const [url] = imageUrls(tagName, attributes);
  if (url === undefined) return;
  const problem = dataImageProblem(url);
  const shownPart = problem === undefined ? findTruncationInDataUrl(url) : undefined;
  const reason = problem ?? (shownPart && truncationReasons[shownPart]);
  if (reason === undefined) return;
  if (shownPart !== 'beginning') found.brokenImage ??= { url, line, reason };
  else if (
    found.truncatedImages.length < maxTruncatedImages &&
    !found.truncatedImages.some((known) => known.url === url)
  )
    found.truncatedImages.push({ url, line, reason });
};
