import type { FastifyReply } from 'fastify';
import { streams, templateIdOf } from '#contracts/names.ts';
import { type FullTemplate, readTemplate } from '#application/templates/content.ts';
import type { TemplateParts } from './parts.ts';
import { createdOf } from './views.ts';

/** Answers with a template that has just been created. */
export const sendCreated = (reply: FastifyReply, id: string, at: string, full: FullTemplate): FastifyReply =>
  reply.status(201).header('location', `/api/v1/templates/${templateIdOf(id)}`).header('etag', '"1"').send(createdOf({ id, version: 1, createdAt: at, updatedAt: at }, full));

/** The same answer once more, from the log; null where the template was never created. */
export const replayCreation = async ({ log, blobs }: TemplateParts, reply: FastifyReply, id: string): Promise<FastifyReply | null> => {
  const created = (await log.store.read(streams.template(id))).find((event) => event.type === 'TemplateCreated');
  if (!created) return null;
  const { body } = created.data;
  return sendCreated(reply, id, created.metadata.occurredAt, await readTemplate(blobs, body));
};
