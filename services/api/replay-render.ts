import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { Fault } from '#contracts/http/problem.ts';
import { renderIdOf, streams } from '#contracts/names.ts';
import type { Answers } from '#libs/answers/port.ts';
import { render } from '#libs/domain/render.ts';
import { load, type Log } from '#libs/handling/handle.ts';
import { causeOf } from './cause.ts';
import { bodyOf } from './query.ts';
import { sendFault } from './reply.ts';
import { abandonment, queuedOf, sendRender } from './send-render.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];

/** The first answer to a render request once more, from the log. A PDF that was not kept is made again: it has the same bytes. */
export const replayRender = async ({ log, answers }: { log: Log; answers: Answers }, request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply | 'running' | null> => {
  const { history, aggregate } = await load(log, render, streams.render(id));
  const requested = history[0];
  if (!requested) return null;
  const createdAt = requested.metadata.occurredAt;
  const { reply: wish } = requested.data as Data<'RenderRequested'>;
  // The same body is a condition of the replay, so the address in it is the one that was given.
  if (wish.kind !== 'wait') return reply.send(queuedOf(id, createdAt, { estimatedMs: wish.estimatedMs, webhookUrl: (bodyOf(request) as { webhook_url?: string }).webhook_url }));
  const failed = history.find(({ type }) => type === 'RenderFailed');
  if (failed) return sendFault(reply, (failed.data as Data<'RenderFailed'>).fault as Fault, { render_id: renderIdOf(id) });
  if (aggregate.state.status !== 'DONE') return 'running';
  const answer = answers.wait(id, abandonment(reply));
  const { position } = await aggregate.execute({ type: 'requestPdfAgain' }, causeOf(request));
  return sendRender(reply, { id, createdAt, position: position!, answer });
};
