import type { RenderEvent } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

export const maxAttempts = 3;

export type RenderState =
  | { status: 'NONE' }
  | { status: 'QUEUED' }
  | { status: 'PROCESSING'; attempt: number }
  | { status: 'DONE'; pdf: { sha256: string; keptUntil: string } | null; diagnosed?: true }
  | { status: 'FAILED'; diagnosed?: true };

type Data<T extends RenderEvent['type']> = Extract<RenderEvent, { type: T }>['data'];

export type RenderCommand =
  | { type: 'request'; data: Data<'RenderRequested'> }
  | { type: 'claim'; attempt: number; worker: string }
  | { type: 'complete'; data: Data<'RenderCompleted'> }
  | { type: 'fail'; data: Data<'RenderFailed'> }
  | { type: 'erasePdf' }
  | { type: 'requestPdfAgain' }
  | { type: 'requestDiagnosis' }
  | { type: 'diagnose'; data: Data<'RenderDiagnosed'> };

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

const hasEnded = (state: RenderState): state is Extract<RenderState, { status: 'DONE' | 'FAILED' }> => state.status === 'DONE' || state.status === 'FAILED';
/** A render is looked at once: it would be the same every time. */
const mayBeDiagnosed = (state: RenderState): boolean => hasEnded(state) && !state.diagnosed;

const evolve = (state: RenderState, event: RenderEvent): RenderState => {
  switch (event.type) {
    case 'RenderRequested':
      return { status: 'QUEUED' };
    case 'RenderStarted':
      return { status: 'PROCESSING', attempt: event.data.attempt };
    case 'RenderCompleted':
      return { status: 'DONE', pdf: event.data.keptUntil === null ? null : { sha256: event.data.pdf.sha256, keptUntil: event.data.keptUntil } };
    case 'RenderFailed':
      return { status: 'FAILED' };
    case 'PdfErased':
      return state.status === 'DONE' ? { ...state, pdf: null } : state;
    case 'PdfRequestedAgain':
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
      return nextAttempt(state) === command.attempt ? [{ type: 'RenderStarted', data: { attempt: command.attempt, worker: command.worker } }] : [];
    case 'complete':
      return state.status === 'PROCESSING' ? [{ type: 'RenderCompleted', data: command.data }] : [];
    case 'fail':
      // A worker that has lost its render must not fail it for the one that has it now; a PDF is welcome from either.
      return state.status === 'PROCESSING' && state.attempt === command.data.attempt ? [{ type: 'RenderFailed', data: command.data }] : [];
    case 'erasePdf':
      return state.status === 'DONE' && state.pdf !== null ? [{ type: 'PdfErased', data: { sha256: state.pdf.sha256 } }] : [];
    case 'requestPdfAgain':
      return state.status === 'DONE' ? [{ type: 'PdfRequestedAgain', data: {} }] : [];
    case 'requestDiagnosis':
      return mayBeDiagnosed(state) ? [{ type: 'DiagnosisRequested', data: {} }] : [];
    case 'diagnose':
      return mayBeDiagnosed(state) ? [{ type: 'RenderDiagnosed', data: command.data }] : [];
    default:
      return command satisfies never;
  }
};

/** One render: asked for, claimed at most three times, ended once. */
export const render: Decider<RenderState, RenderCommand, RenderEvent> = { initial: { status: 'NONE' }, evolve, decide };
