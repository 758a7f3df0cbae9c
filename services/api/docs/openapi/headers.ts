import type { Route } from '../../server/route.ts';
import type { Json } from './json-schema.ts';

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const count = (description: string): Json => ({ description, schema: { type: 'integer' } });

/** Headers that many answers have; the document refers to them by these names. */
export const sharedHeaders: Record<string, Json> = {
  'X-Request-Id': text('Names the request, for questions about it; errors repeat it in their body.'),
  'X-RateLimit-Limit': count('Requests per minute; absent where they are unlimited.'),
  'X-RateLimit-Remaining': count('Requests left in this minute.'),
  'X-RateLimit-Reset': count('When the minute ends, in Unix seconds.'),
  'X-Quota-Limit': count('Renders per calendar month (UTC); absent where they are unlimited.'),
  'X-Quota-Remaining': count('Renders left in this month.'),
  'X-Quota-Reset': count('When the month ends, in Unix seconds.'),
  'Retry-After': count('Seconds after which it is worth trying again.'),
};

const namesFor = ({ permission }: Route, status: number): string[] => {
  const limits = Object.keys(sharedHeaders).filter((name) => /^X-(RateLimit|Quota)/.test(name));
  return ['X-Request-Id', ...(permission && status !== 401 ? limits : []), ...(permission && (status === 429 || status === 503) ? ['Retry-After'] : [])];
};

/** The headers of an answer: those that all answers of its kind have, and its own. */
export const headersOf = (route: Route, status: number, own: Record<string, string>): Json => ({
  ...Object.fromEntries(namesFor(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  ...Object.fromEntries(Object.entries(own).map(([name, description]) => [name, text(description)])),
});
