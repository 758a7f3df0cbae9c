import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

export const maxAttempts = 3;

/** How often the PDF of a render that was waited for is made again at most. */
export const maxRegenerations = 5;

export type RenderState =
  | { status: 'NONE' }
  | { status: 'QUEUED' }
  | { status: 'PROCESSING'; attempt: number }
  /** `again` counts how often the PDF was asked for again, and tells whether the last time has ended. */
  | {
      status: 'DONE';
      pdf: { sha256: string; keptUntil: string } | null;
      diagnosed?: true;
      regeneration?: { count: number; ended: boolean };
    }
  /** `discarded` is a PDF that cannot be fetched and is still stored. */
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

/** The attempt that a worker may claim next; null when the render has ended, was never asked for, or has no attempt left. */
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

/** Which time it would be that the PDF is made again; null where it was made as often as it may be. */
export const nextRegeneration = (state: RenderState): number | null => {
  const next = state.status === 'DONE' ? (state.regeneration?.count ?? 0) + 1 : maxRegenerations + 1;
  return next <= maxRegenerations ? next : null;
};

const hasEnded = (state: RenderState): state is Extract<RenderState, { status: 'DONE' | 'FAILED' }> =>
  state.status === 'DONE' || state.status === 'FAILED';
/** A render is looked at once: it would be the same every time. */
const canBeDiagnosed = (state: RenderState): boolean => hasEnded(state) && !state.diagnosed;

/** The hash of the PDF that the blob store holds because of a render. */
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
      // A worker that has lost its render must not fail it for the one that has it now; a PDF is welcome from either.
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
      // Several callers who repeat a request at once ask for the same time, and the first of them gets it.
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

/** One render: asked for, claimed at most three times, ended once. */
export const render: Decider<RenderState, RenderCommand, RenderEvent> = { initial: { status: 'NONE' }, evolve, decide };
