import type { ReactElement } from 'react';
import type { ActorResponse } from '#contracts/http/actor.ts';
import { strings } from '../strings/strings.ts';
import { hrefOfId } from './Id.tsx';
import { Link } from './Link.tsx';

/** The name of an actor in words. */
const actorText = ({ kind, id, name }: ActorResponse): string => {
  if (kind === 'service') return strings.actors.service;
  if (id === undefined) return name ? strings.actors.commandLineOf(name) : strings.actors.commandLine;
  return name ?? id;
};

/** Who did something; leads to the page of the key or person. */
export const ActorName = ({ actor }: { actor: ActorResponse }): ReactElement => {
  const href = actor.id === undefined ? undefined : hrefOfId(actor.id);
  const text = actorText(actor);
  return href === undefined ? (
    <span title={text}>{text}</span>
  ) : (
    <Link href={href} className="link">
      {text}
    </Link>
  );
};
