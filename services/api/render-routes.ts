import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#contracts/http/problem.ts';
import { renderIdOf } from '#contracts/names.ts';
import type { RenderOptions } from '#contracts/http/render-options.ts';
import type { Answer } from '#libs/answers/port.ts';
import type { Limits } from '#libs/limits/port.ts';
import { requirePermission } from './authenticate.ts';
import { callerOf } from './caller.ts';
import { dataBytes, parseConvert } from './render-request.ts';
import { sendFault } from './reply.ts';
import { pdfOf, type Submission, submitRender, type SubmitParts } from './submit-render.ts';
import { countRender } from './throttle.ts';

export type RenderRouteParts = SubmitParts & { limits: Limits };

const inKb = (bytes: number): number => Math.round((bytes / 1024) * 100) / 100;

/** Base64 needs no escaping, so the large field is set into the JSON text rather than run through a serialiser. */
const renderJson = (id: string, createdAt: string, { pdf, pages, durationMs }: Extract<Answer, { status: 'DONE' }>): string => {
  const rest = JSON.stringify({ pages, file_size_kb: inKb(pdf.byteLength), duration_ms: durationMs, created_at: createdAt });
  const base64 = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength).toString('base64');
  return `{"id":"${renderIdOf(id)}","status":"DONE","pdf_base64":"${base64}",${rest.slice(1)}`;
};

/** Aborts when the caller hangs up, or when nothing came for so long that nothing will. */
const abandonment = (reply: FastifyReply, longestMs: number): AbortSignal => {
  const hungUp = new AbortController();
  reply.raw.once('close', () => hungUp.abort());
  return AbortSignal.any([hungUp.signal, AbortSignal.timeout(longestMs)]);
};

const sendRender = async (reply: FastifyReply, { id, createdAt, answer }: Submission): Promise<FastifyReply> => {
  try {
    return reply.type('application/json; charset=utf-8').send(renderJson(id, createdAt, pdfOf(await answer)));
  } catch (error) {
    if (error instanceof Problem) return sendFault(reply, error.fault, { render_id: renderIdOf(id) });
    throw error;
  }
};

const longestWaitMs = 300_000;

export const registerRenderRoutes = (app: FastifyInstance, parts: RenderRouteParts): void => {
  app.post('/api/v1/render', async (request: FastifyRequest, reply) => {
    const caller = callerOf(request);
    const { mode: _mode, input_type: inputType, data, ...options } = parseConvert(request.body);
    requirePermission(caller, 'render:create');
    const bytes = dataBytes(data);
    await countRender(parts.limits, caller.account, caller.key.keyType, reply, parts.log.now());
    const input = await parts.blobs.put(bytes);
    const ask = { source: { mode: 'CONVERT' as const, inputType, input }, options: options as RenderOptions, trial: false, requestId: request.id };
    return sendRender(reply, await submitRender(parts, caller, ask, abandonment(reply, longestWaitMs)));
  });
};
