import type { EventData } from '#contracts/events/event-schemas.ts';
import type { RenderEvent } from '#contracts/events/render.ts';
import type { Decider } from './decider.ts';

export const maxAttempts = 3;

/** The maximum number of regenerations of a PDF that was not stored. */
export const maxRegenerations = 5;

/** The maximum number of verifications of a render. */
export const maxVerifications = 20;

export type RenderState =
  | { status: 'NONE' }
  /** `sealedBox`: the hash of the sealed box with the headers and cookies for a page, until it is erased. */
  | { status: 'QUEUED'; sealedBox?: string }
  | { status: 'PROCESSING'; attempt: number; sealedBox?: string }
  /**
   * `regeneration` and `verification`: how many there were, and whether the last one has ended. `discardedPdf`: the hash of
   * a PDF that another worker stored.
   */
  | {
      status: 'DONE';
      pdf: { sha256: string; keptUntil: string } | null;
      diagnosed?: true;
      discardedPdf?: string;
      sealedBox?: string;
      regeneration?: { count: number; ended: boolean };
      verification?: { count: number; ended: boolean };
    }
  /** `discardedPdf` is the hash of a stored PDF that cannot be downloaded. */
  | { status: 'FAILED'; diagnosed?: true; discardedPdf?: string; sealedBox?: string };

export type RenderCommand =
  | { type: 'request'; data: EventData['RenderRequested'] }
  | { type: 'claim'; attempt: number; worker: string; queueMs: number }
  | { type: 'complete'; data: EventData['RenderCompleted'] }
  | { type: 'fail'; data: EventData['RenderFailed'] }
  | { type: 'erasePageSecrets'; sha256: string }
  | { type: 'discardPdf'; data: EventData['PdfDiscarded'] }
  | { type: 'erasePdf'; now: Date }
  | { type: 'requestPdfRegeneration'; count: number }
  | { type: 'endPdfRegeneration'; data: EventData['PdfRegenerationEnded'] }
  | { type: 'requestDiagnosis' }
  | { type: 'diagnose'; data: EventData['RenderDiagnosed'] }
  | { type: 'requestVerification'; count: number; keepPdf: boolean }
  | { type: 'endVerification'; data: EventData['RenderVerified'] };

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

/** The number of the next verification, from 1; null if there were too many, or if there is no PDF. */
export const nextVerification = (state: RenderState): number | null => {
  const next = state.status === 'DONE' ? (state.verification?.count ?? 0) + 1 : maxVerifications + 1;
  return next <= maxVerifications ? next : null;
};

const hasEnded = (state: RenderState): state is Extract<RenderState, { status: 'DONE' | 'FAILED' }> =>
  state.status === 'DONE' || state.status === 'FAILED';
/** One diagnosis is enough: the result would always be the same. */
const canBeDiagnosed = (state: RenderState): boolean => hasEnded(state) && !state.diagnosed;

/** The hash of the PDF that is stored for the render. */
const storedPdfHash = (state: RenderState): string | null => {
  if (!hasEnded(state)) return null;
  return (state.status === 'DONE' ? state.pdf?.sha256 : undefined) ?? state.discardedPdf ?? null;
};

/** The PDF may be stored again after its time was over. */
const isKeptAt = (state: RenderState, now: Date): boolean =>
  state.status === 'DONE' && state.pdf !== null && now < new Date(state.pdf.keptUntil);

/** The hash of the sealed box of a render; null if there is none, or if it is erased. */
export const pageSecretsHash = (state: RenderState): string | null =>
  state.status === 'NONE' ? null : (state.sealedBox ?? null);

const sealedBoxOf = ({ source }: EventData['RenderRequested']): { sealedBox?: string } =>
  source.mode === 'CONVERT' && source.page?.sealed ? { sealedBox: source.page.sealed.sha256 } : {};

const keptSealedBox = (state: RenderState): { sealedBox?: string } => {
  const sealedBox = pageSecretsHash(state);
  return sealedBox === null ? {} : { sealedBox };
};

const evolve = (state: RenderState, event: RenderEvent): RenderState => {
  switch (event.type) {
    case 'RenderRequested':
      return { status: 'QUEUED', ...sealedBoxOf(event.data) };
    case 'RenderStarted':
      return { status: 'PROCESSING', attempt: event.data.attempt, ...keptSealedBox(state) };
    case 'RenderCompleted':
      return {
        status: 'DONE',
        pdf: event.data.keptUntil === null ? null : { sha256: event.data.pdf.sha256, keptUntil: event.data.keptUntil },
        ...keptSealedBox(state),
      };
    case 'RenderFailed':
      return { status: 'FAILED', ...keptSealedBox(state) };
    case 'PageSecretsErased': {
      if (state.status === 'NONE') return state;
      const { sealedBox: _, ...rest } = state;
      return rest;
    }
    case 'PdfErased': {
      if (!hasEnded(state)) return state;
      const { discardedPdf: _, ...rest } = state;
      return rest.status === 'DONE' ? { ...rest, pdf: null } : rest;
    }
    case 'PdfDiscarded':
      return hasEnded(state) ? { ...state, discardedPdf: event.data.pdf.sha256 } : state;
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
    case 'VerificationRequested':
      return state.status === 'DONE'
        ? { ...state, verification: { count: (state.verification?.count ?? 0) + 1, ended: false } }
        : state;
    case 'RenderVerified': {
      if (state.status !== 'DONE' || !state.verification) return state;
      const { outcome, keptUntil } = event.data;
      return {
        ...state,
        verification: { ...state.verification, ended: true },
        ...(outcome.kind === 'rendered' && keptUntil ? { pdf: { sha256: outcome.pdf.sha256, keptUntil } } : {}),
      };
    }
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
    case 'erasePageSecrets':
      return hasEnded(state) && pageSecretsHash(state) === command.sha256
        ? [{ type: 'PageSecretsErased', data: { sha256: command.sha256 } }]
        : [];
    case 'discardPdf':
      return hasEnded(state) && storedPdfHash(state) !== command.data.pdf.sha256
        ? [{ type: 'PdfDiscarded', data: command.data }]
        : [];
    case 'erasePdf': {
      if (isKeptAt(state, command.now)) return [];
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
    case 'requestVerification':
      // Concurrent requests have the same count. The first one requests the verification for all of them.
      return nextVerification(state) === command.count
        ? [{ type: 'VerificationRequested', data: { keepPdf: command.keepPdf } }]
        : [];
    case 'endVerification':
      return state.status === 'DONE' && state.verification?.ended === false
        ? [{ type: 'RenderVerified', data: command.data }]
        : [];
    default:
      return command satisfies never;
  }
};

/** A render is requested once, claimed at most three times, and ends once. */
export const render: Decider<RenderState, RenderCommand, RenderEvent> = { initial: { status: 'NONE' }, evolve, decide };
