import type { RenderEvent } from '#contracts/events/render.ts';
import type { Fault } from '#contracts/http/problem.ts';

type Warning = Extract<RenderEvent, { type: 'RenderCompleted' }>['data']['warnings'][number];

const longestText = 1000;
const longestWarning = 300;
const mostWarnings = 50;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}...` : text);

const cutDeep = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value, longestText);
  if (Array.isArray(value)) return value.slice(0, mostWarnings).map(cutDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutDeep(inner)]));
};

/** A fault as it goes into the log, whose events are small: what a document brought along, such as the address of an image, can be of any length. */
export const recordedFault = ({ name, message, extra }: Fault): Fault => ({ name, message: cut(message, longestText), extra: cutDeep(extra) as Fault['extra'] });

/** The first of a render's warnings, each cut to a length that fits into an event. */
export const recordedWarnings = (warnings: readonly Warning[]): Warning[] =>
  warnings.slice(0, mostWarnings).map(({ kind, url, reason }) => ({ kind, url: cut(url, longestWarning), reason: cut(reason, longestWarning) }));
