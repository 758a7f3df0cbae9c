import { Problem } from '#contracts/http/problem.ts';
import { type Budget, unlimited } from '../budget.ts';
import { refusal } from '../input.ts';
import type { Prepared } from '../prepared.ts';
import { classify, type Finds } from './classify.ts';

/** Of the base so many characters, read once more for each picture, take as long as the HTML parser takes to make an element. */
const baseCharactersPerUnit = 1_000;

/**
 * Refuses pictures that can never load, and more distinct external ones than allowed.
 * @param maxImages null where there is no limit
 * @param budget spent by what it takes to read each address with the base of them all
 */
export const checkPictures = ({ pictures, base }: Finds, maxImages: number | null, budget: Budget = unlimited): void => {
  const distinct = new Set<string>();
  const unitsPerPicture = (base?.length ?? 0) / baseCharactersPerUnit;
  for (const { address, line } of pictures) {
    budget.spend(unitsPerPicture);
    const url = resolve(address, base);
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw unloadable(address, line, url);
    distinct.add(withoutFragment(url));
  }
  if (maxImages !== null && distinct.size > maxImages) throw tooMany(distinct.size, maxImages);
};

const resolve = (address: string, base: string | undefined): URL | undefined => URL.parse(address, base) ?? undefined;

const withoutFragment = (url: URL): string => {
  url.hash = '';
  return url.href;
};

const shown = (address: string): string => (address.length > 300 ? `${address.slice(0, 300)}…` : address);

const unloadable = (address: string, line: number, url: URL | undefined) => {
  const why = url ? `${url.protocol} addresses are not fetched` : 'the address is relative, and the document has no address of its own that it could be relative to';
  const reason = `${why}; send an absolute http: or https: address, or the image itself as a data: URI`;
  return Problem.of('image_load_failed', `The image "${shown(address)}" on line ${line} cannot be loaded: ${reason}.`, { image_url: shown(address), reason });
};

const tooMany = (images: number, limit: number) =>
  Problem.of('conversion_failed', `The document has ${images} different external images; at most ${limit} are allowed. Embed images as data: URIs, or use fewer.`, { details: { images, limit } });

/** HTML as it was sent, if nothing of it would be lost. Throws a Problem otherwise, and what `budget` throws. */
export const prepareHtml = (html: string, maxImages: number | null, budget: Budget = unlimited): Prepared => {
  const { classification, finds } = classify(html, budget);
  const { cut } = finds;
  if (cut) throw refusal('html', `The HTML ends inside ${cut.inside} that begins on line ${cut.line}; everything after that would be lost.`, { details: `unfinished: ${cut.inside}`, line: cut.line });
  checkPictures(finds, maxImages, budget);
  return { html, classification };
};
