import type { Token } from 'parse5';
import { cutImageReasons, findCutInDataUrl } from '../assets/cut-images.ts';
import { dataImageProblem } from './data-images.ts';
import { imageAttributes, imageUrls } from './element-resources.ts';

export type BrokenImage = { url: string; line?: number | undefined; reason: string };

/** The first image that no browser can show, and those of which it shows only the beginning. */
type FoundImages = { brokenImage: BrokenImage | undefined; cutImages: BrokenImage[] };

/** Whether an element names several images, of which the browser selects one. */
export const hasSources = (attributes: readonly Token.Attribute[]): boolean =>
  attributes.some(({ name }) => name === 'srcset');

/** More are not reported. */
const maxCutImages = 20;

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
  const cut = problem === undefined ? findCutInDataUrl(url) : undefined;
  const reason = problem ?? (cut && cutImageReasons[cut]);
  if (reason === undefined) return;
  if (cut !== 'beginning') found.brokenImage ??= { url, line, reason };
  else if (found.cutImages.length < maxCutImages && !found.cutImages.some((known) => known.url === url))
    found.cutImages.push({ url, line, reason });
};
