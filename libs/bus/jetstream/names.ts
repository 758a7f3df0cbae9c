import { createHash } from 'node:crypto';

/** Messages of one subject lie in two streams, so that each can be counted without being looked through. */
export type Kind = 'urgent' | 'ordinary';

export type LaneNames = {
  stream: string;
  /** Messages have the subject `<root>.<group>.<id>`. */
  root: string;
  /** Where it is told, by group, that there is something to be taken: `<bell>.<group>`. */
  bell: string;
};

const plain = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

/** Any text as one token of a subject, which no dot, star or space may be in. The same text gives the same token, another text another one. */
export const tokenOf = (text: string): string => {
  if (text === '') return '_';
  return plain.test(text) ? text : `_${createHash('sha256').update(text).digest('base64url')}`;
};

export const namesOf = (prefix: string, subject: string, kind: Kind): LaneNames => {
  const work = subject.split('.').map(tokenOf).join('_');
  return { stream: `${prefix}-${work}-${kind}`, root: `${prefix}.${kind}.${work}`, bell: `${prefix}.bell.${kind}.${work}` };
};

/** The group's token in the subject of a message or of a bell. */
export const groupIn = (names: LaneNames, subject: string): string => {
  const root = subject.startsWith(`${names.bell}.`) ? names.bell : names.root;
  return subject.slice(root.length + 1).split('.')[0]!;
};
