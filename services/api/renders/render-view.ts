import { timingsOf } from '#application/renders/diagnostics.ts';
import type { Actor } from '#contracts/events/metadata.ts';
import type { ActorResponse } from '#contracts/http/actor.ts';
import type { RenderRecordResponse } from '#contracts/http/renders.ts';
import { apiKeyIdOf, renderIdOf } from '#contracts/names.ts';
import type { DeliveryDocument } from '#libs/projections/deliveries.ts';
import type { RenderDocument } from '#libs/projections/renders.ts';
import { type DownloadUrlFor, jobOf } from '../jobs/job-view.ts';

/** The key or person that requested a render. */
export const requesterOf = ({ keyId, personId, personName = '' }: RenderDocument): Actor =>
  keyId === null
    ? { kind: 'person', name: personName, ...(personId === undefined ? {} : { id: personId }) }
    : { kind: 'key', id: keyId };

/** A recorded render as the API returns it, from its document and its webhook delivery. */
export const renderRecordOf = (
  render: RenderDocument,
  delivery: DeliveryDocument | null,
  urlOf: DownloadUrlFor,
  now: Date,
  actorOf: (actor: Actor) => ActorResponse,
): RenderRecordResponse => {
  const { job_id, id, status, ...fields } = jobOf(render, delivery, urlOf, now);
  const isAsynchronous = render.kind === 'asynchronous';
  return {
    id,
    ...(isAsynchronous ? { job_id } : {}),
    status,
    asynchronous: isAsynchronous,
    key_id: render.keyId === null ? null : apiKeyIdOf(render.keyId),
    requested_by: actorOf(requesterOf(render)),
    template_test: render.templateTest,
    ...(render.repeatedFrom === undefined ? {} : { repeated_from: renderIdOf(render.repeatedFrom) }),
    ...fields,
    ...(render.verification === undefined
      ? {}
      : { verification: { time: render.verification.at, matches: render.verification.matches } }),
    ...(render.durations === undefined ? {} : { timings_ms: timingsOf(render.durations) }),
  };
};
