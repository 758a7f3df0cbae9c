import { streams, subjectIdOf } from '#contracts/names.ts';

/**
 * The streams about the thing with this id of the API; none for an unknown form. A render and its webhook delivery belong
 * together.
 */
export const streamsOfSubject = (id: string): string[] => {
  const [, prefix, bare] = /^([a-z]+)_([0-9A-HJKMNP-TV-Z]{26})$/.exec(id) ?? [];
  if (prefix === undefined) return [];
  if (prefix === 'render' || prefix === 'job') return [streams.render(bare!), streams.delivery(bare!)];
  return Object.keys(streams)
    .map((kind) => `${kind}-${bare}`)
    .filter((stream) => subjectIdOf(stream) === id);
};
