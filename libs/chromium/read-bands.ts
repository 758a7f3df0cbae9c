import { Problem } from '#contracts/http/problem.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import { readBand, type Band, type BandPlace } from './bands.ts';

/** The HTML of the two bands; null where there is none. */
export type BandSources = Pick<RenderOptions, 'header_html' | 'footer_html'>;

const largestBand = 2 ** 20;

const readOption = (place: BandPlace, source: string | null, date: string): Band[] => {
  if (source === null || source.trim() === '') return [];
  const name = `${place}_html`;
  const refuse = (why: string) => Problem.of('conversion_failed', `${name} ${why}`, { details: { field: name } });
  if (source.length > largestBand) throw refuse('is larger than 1 MB.');
  try {
    return [readBand(place, source, date)];
  } catch {
    throw refuse('could not be read as HTML.');
  }
};

/** Reads header_html and footer_html, at most 1 MB each; what is empty is left out. Takes about a second for the largest. Throws conversion_failed. */
export const readBands = ({ header_html: header, footer_html: footer }: BandSources, requestedAt: Date): Band[] => {
  const date = requestedAt.toISOString().slice(0, 10);
  return [...readOption('header', header, date), ...readOption('footer', footer, date)];
};
