import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

export const maxAttempts = 3;

/** The maximum number of regenerations of a PDF that was not stored. */
export const maxRegenerations = 5;

export type RenderState =
  | { status: 'NONE' }
  | { status: 'QUEUED' }
  | { status: 'PROCESSING'; attempt: number }
  /** `regeneration`: the number of regenerations, and whether the last one has ended. */
  | {
      status: 'DONE';
      pdf: { sha256: string; keptUntil: string } | null;
      diagnosed?: true;
      regeneration?: { count: number; ended: boolean };
    }
  /** `discardedPdf` is the hash of a stored PDF that cannot be downloaded. */
  | { status: 'FAILED'; diagnosed?: true; discardedPdf?: string };

export type RenderCommand =
  | { type: 'request'; data: EventData['RenderRequested'] }
  | { type: 'claim'; attempt: number; worker: string; queueMs: number }
  | { type: 'complete'; data: EventData['RenderCompleted'] }
  | { type: 'fail'; data: EventData['RenderFailed'] }
  | { type: 'discardPdf'; data: EventData['PdfDiscarded'] }
  | { type: 'erasePdf' }
  | { type: 'requestPdfRegeneration'; count: number }
  | { type: 'endPdfRegeneration'; data: EventData['PdfRegenerationEnded'] }
  | { type: 'requestDiagnosis' }
  | { type: 'diagnose'; data: EventData['RenderDiagnosed'] };

/** The attempt that a worker can claim next; null if the render does not exist, has ended, or has no attempt left. */
export const nextAttempt = (state: RenderState): number | null => {
  switch (state.status) {
    case 'QUEUED':
      return 1;
    case 'PROCESSING':
      return state.attempt < maxAttempts ? state.attempt + 1 : null;
    default:
      return null;
  }
};

/** The number of the next regeneration, from 1; null if there were too many, or if there is no PDF. */
export const nextRegeneration = (state: RenderState): number | null => {
  const next = state.status === 'DONE' ? (state.regeneration?.count ?? 0) + 1 : maxRegenerations + 1;
  return next <= maxRegenerations ? next : null;
};

const hasEnded = (state: RenderState): state is Extract<RenderState, { status: 'DONE' | 'FAILED' }> =>
  state.status === 'DONE' || state.status === 'FAILED';
/** One diagnosis is enough: the result would always be the same. */
const canBeDiagnosed = (state: RenderState): boolean => hasEnded(state) && !state.diagnosed;

/** The hash of the PDF that is stored for the render. */
const storedPdfHash = (state: RenderState): string | null => {
  if (state.status === 'DONE') return state.pdf?.sha256 ?? null;
  return state.status === 'FAILED' ? (state.discardedPdf ?? null) : null;
};

const evolve = (state: RenderState, event: RenderEvent): RenderState => {
  switch (event.type) {
    case 'RenderRequested':
      return { status: 'QUEUED' };
    case 'RenderStarted':
      return { status: 'PROCESSING', attempt: event.data.attempt };
    case 'RenderCompleted':
      return {
        status: 'DONE',
        pdf: event.data.keptUntil === null ? null : { sha256: event.data.pdf.sha256, keptUntil: event.data.keptUntil },
      };
    case 'RenderFailed':
      return { status: 'FAILED' };
    case 'PdfErased':
      if (state.status === 'DONE') return { ...state, pdf: null };
      return state.status === 'FAILED' ? { status: 'FAILED', ...(state.diagnosed ? { diagnosed: true } : {}) } : state;
    case 'PdfDiscarded':
      return state.status === 'FAILED' ? { ...state, discardedPdf: event.data.pdf.sha256 } : state;
    case 'PdfRegenerationRequested':
      return state.status === 'DONE'
        ? { ...state, regeneration: { count: (state.regeneration?.count ?? 0) + 1, ended: false } }
        : state;
    case 'PdfRegenerationEnded': {
      if (state.status !== 'DONE' || !state.regeneration) return state;
      const { pdf, keptUntil } = event.data;
      return {
        ...state,
        regeneration: { ...state.regeneration, ended: true },
        ...(pdf && keptUntil ? { pdf: { sha256: pdf.sha256, keptUntil } } : {}),
      };
    }
    case 'DiagnosisRequested':
      return state;
    case 'RenderDiagnosed':
      return hasEnded(state) ? { ...state, diagnosed: true } : state;
    default:
      return event satisfies never;
  }
};

const decide = (command: RenderCommand, state: RenderState): RenderEvent[] => {
  switch (command.type) {
    case 'request':
      return state.status === 'NONE' ? [{ type: 'RenderRequested', data: command.data }] : [];
    case 'claim':
      return nextAttempt(state) === command.attempt
        ? [
            {
              type: 'RenderStarted',
              data: { attempt: command.attempt, worker: command.worker, queueMs: command.queueMs },
            },
          ]
        : [];
    case 'complete':
      return state.status === 'PROCESSING' ? [{ type: 'RenderCompleted', data: command.data }] : [];
    case 'fail':
      // A worker that has lost the render to another worker must not fail it. It may complete it, though.
      return state.status === 'PROCESSING' && state.attempt === command.data.attempt
        ? [{ type: 'RenderFailed', data: command.data }]
        : [];
    case 'discardPdf':
      return state.status === 'FAILED' && state.discardedPdf === undefined
        ? [{ type: 'PdfDiscarded', data: command.data }]
        : [];
    case 'erasePdf': {
      const sha256 = storedPdfHash(state);
      return sha256 === null ? [] : [{ type: 'PdfErased', data: { sha256 } }];
    }
    case 'requestPdfRegeneration':
      // Concurrent requests have the same count. The first one requests the regeneration for all of them.
      return nextRegeneration(state) === command.count ? [{ type: 'PdfRegenerationRequested', data: {} }] : [];
    case 'endPdfRegeneration':
      return state.status === 'DONE' && state.regeneration?.ended === false
        ? [{ type: 'PdfRegenerationEnded', data: command.data }]
        : [];
    case 'requestDiagnosis':
      return canBeDiagnosed(state) ? [{ type: 'DiagnosisRequested', data: {} }] : [];
    case 'diagnose':
      return canBeDiagnosed(state) ? [{ type: 'RenderDiagnosed', data: command.data }] : [];
    default:
      return command satisfies never;
  }
};

/** A render is requested once, claimed at most three times, and ends once. */
export const render: Decider<RenderState, RenderCommand, RenderEvent> = { initial: { status: 'NONE' }, evolve, decide };
