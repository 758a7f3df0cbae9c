/** The identifier of a heading as GitHub makes it: its letters and digits in lower case, hyphens between. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');

const counts = new WeakMap<object, Map<string, number>>();

/**
 * The identifier of a heading within one document; the second of the same text ends in `-1`. Counted here, because the anchor
 * plug-in tries all numbers from the first for every repeated heading.
 * @param document what stands for the document: the environment of one parse
 */
export const anchorOf = (heading: string, document: object): string => {
  const counted = counts.get(document) ?? new Map<string, number>();
  counts.set(document, counted);
  const slug = slugOf(heading);
  const times = counted.get(slug) ?? 0;
  counted.set(slug, times + 1);
  return times === 0 ? slug : `${slug}-${times}`;
};
