import { auditRules } from '#contracts/events/audit.ts';
import { isEventType } from '#contracts/events/event-schemas.ts';
import type { ActorResponse } from '#contracts/http/actor.ts';
import type { EventResponse } from '#contracts/http/events.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import { subjectIdOf } from '#contracts/names.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';
import type { ReadStore } from '#libs/read-store/port.ts';
import { createNamedActorView } from '../server/actor-names.ts';
import { eventView } from '#application/audit/event-view.ts';

const eventResponse = (event: RecordedEvent, viewActor: (actor: Actor) => ActorResponse): EventResponse => ({
  ...eventView(event),
  kind: isEventType(event.type) ? auditRules[event.type].kind : 'other',
  subject: subjectIdOf(event.stream),
  actor: viewActor(event.metadata.actor),
});

/** Events of an account as the API returns them, with the names of their actors. */
export const eventResponses = async (
  reads: ReadStore,
  accountId: string,
  events: readonly RecordedEvent[],
): Promise<EventResponse[]> => {
  const actors = events.map(({ metadata }) => metadata.actor);
  const viewActor = await createNamedActorView(reads, accountId, actors);
  return events.map((event) => eventResponse(event, viewActor));
};
