import { readFileSync } from 'node:fs';
import { ulid } from 'ulid';
import { onTestFinished } from 'vitest';
import type { Actor } from '#contracts/events/metadata.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { ResponseMode } from '#contracts/events/render-request.ts';
import { streams } from '#contracts/names.ts';
import { openAccount } from '#application/accounts/commands.ts';
import { render } from '#libs/domain/render.ts';
import { newAggregate, type Cause } from '#application/command-handling/aggregate.ts';
import { projections } from '#libs/projections/all.ts';
import { catchUp } from '#libs/projections/catch-up.ts';
import { openTemporaryEngines } from '../service/temporary-engines.ts';
import { atMachineTime } from './machine-time.ts';

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];

const eventFixtureData = <T extends RenderEvent['type']>(name: string): Data<T> =>
  (
    JSON.parse(readFileSync(new URL(`../../fixtures/events/${name}.json`, import.meta.url), 'utf8')) as {
      event: { data: Data<T> };
    }
  ).event.data;

const hourMs = 3_600_000;

export const webhookResponseMode: Extract<ResponseMode, { kind: 'webhook' }> = {
  kind: 'webhook',
  estimatedMs: 1,
  url: 'https://example.com/hook',
  urlIsMasked: false,
  method: 'POST',
  headers: {},
  sealed: null,
};
export const pollResponseMode: ResponseMode = { kind: 'poll', estimatedMs: 1 };

/** The embedded engines in a temporary folder, an account, and a clock that the test sets. No service runs. */
export const openEmbeddedEngines = async (start = '2026-03-02T09:00:00.000Z') => {
  const { engines: opened, remove } = await openTemporaryEngines();
  onTestFinished(remove);
  const blobs = atMachineTime(opened.blobs, start);
  const engines = { ...opened, blobs };
  const { store, reads } = engines;
  const clock = { now: new Date(start), uptimeMs: 0 };
  const eventLog = { store, now: () => new Date(clock.now) };
  const actor: Actor = { kind: 'person', name: 'tests' };
  const accountId = await openAccount(eventLog, actor, { name: 'tests', plan: 'free', overrides: {} });
  const catchUpReadModels = (): Promise<void> => catchUp(store, reads, projections);
  await catchUpReadModels();
  const cause: Cause = { actor, accountId, correlationId: 'tests', causationId: null, traceparent: null };

  /** A response mode, or a function of the render's id that returns one. */
  type ResponseModeSource = ResponseMode | ((id: string) => Promise<ResponseMode>);
  const requestRender = async (given: ResponseModeSource) => {
    const id = ulid(clock.now.getTime());
    const reply = typeof given === 'function' ? await given(id) : given;
    const aggregate = newAggregate(eventLog, render, streams.render(id));
    await aggregate.execute(
      {
        type: 'request',
        data: { ...eventFixtureData<'RenderRequested'>('RenderRequested.v1.webhook'), accountId, responseMode: reply },
      },
      cause,
    );
    return { id, aggregate, reply };
  };

  return {
    engines,
    clock,
    eventLog,
    actor,
    accountId,
    cause,
    catchUpReadModels,
    /** Advances both clocks. */
    advanceClock: (ms: number): void => {
      clock.now = new Date(clock.now.getTime() + ms);
      clock.uptimeMs += ms;
    },
    /** Moves the wall clock forward or back. */
    setClock: (ms: number): void => void (clock.now = new Date(clock.now.getTime() + ms)),
    /** Appends a render that waits for a worker. */
    recordQueuedRender: async (reply: ResponseMode = webhookResponseMode): Promise<string> =>
      (await requestRender(reply)).id,
    /** Appends a completed render with a PDF. */
    recordCompletedRender: async (
      given: ResponseModeSource = webhookResponseMode,
      content = 'a PDF',
      thumbnailContent?: string,
    ): Promise<{ id: string; sha256: string }> => {
      const { id, aggregate, reply } = await requestRender(given);
      await aggregate.execute({ type: 'claim', attempt: 1, worker: 'tests', queueMs: 0 }, cause);
      const pdf = await blobs.put(Buffer.from(content));
      const thumbnail =
        thumbnailContent === undefined ? {} : { thumbnail: await blobs.put(Buffer.from(thumbnailContent)) };
      const keptUntil = reply.kind === 'wait' ? null : new Date(clock.now.getTime() + hourMs).toISOString();
      await aggregate.execute(
        {
          type: 'complete',
          data: {
            ...eventFixtureData<'RenderCompleted'>('RenderCompleted.v1.kept'),
            pdf,
            ...thumbnail,
            keptUntil,
            responseMode: reply.kind,
          },
        },
        cause,
      );
      return { id, sha256: pdf.sha256 };
    },
    /** Appends a failed render. */
    recordFailedRender: async (
      fault: Data<'RenderFailed'>['error'],
      reply: ResponseMode = webhookResponseMode,
    ): Promise<string> => {
      const { id, aggregate } = await requestRender(reply);
      await aggregate.execute({ type: 'claim', attempt: 1, worker: 'tests', queueMs: 0 }, cause);
      await aggregate.execute(
        {
          type: 'fail',
          data: { attempt: 1, error: fault, responseMode: reply.kind, totalMs: 3, quotaRefundDate: null },
        },
        cause,
      );
      return id;
    },
    eventTypesIn: async (stream: string): Promise<string[]> => (await store.read(stream)).map(({ type }) => type),
  };
};
export type EmbeddedEngines = Awaited<ReturnType<typeof openEmbeddedEngines>>;
