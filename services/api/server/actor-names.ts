import type { Actor } from '#contracts/events/metadata.ts';
import type { ActorResponse } from '#contracts/http/actor.ts';
import { readModels } from '#contracts/names.ts';
import type { ApiKeyDocument } from '#libs/projections/api-keys.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { actorView } from '#application/audit/event-view.ts';

/**
 * Returns a function that shows actors with their names. The names of the keys among `actors` are read with one query.
 * A key of another account has no name.
 */
export const createNamedActorView = async (
  reads: ReadStore,
  accountId: string,
  actors: readonly Actor[],
): Promise<(actor: Actor) => ActorResponse> => {
  const ids = actors.flatMap((actor) => (actor.kind === 'key' ? [actor.id] : []));
  const keys = (await reads.getMany(readModels.apiKeys, [...new Set(ids)])) as ApiKeyDocument[];
  const names = new Map(keys.filter((key) => key.accountId === accountId).map(({ id, name }) => [id, name]));
  return (actor) => {
    const name = actor.kind === 'key' ? names.get(actor.id) : undefined;
    return { ...actorView({ actor }), ...(name === undefined ? {} : { name }) };
  };
};
