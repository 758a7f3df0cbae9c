import { useEffect, useRef, useState } from 'react';
import { ApiError, isTemporary } from '../../../api/api-error.ts';
import { requestRaw } from '../../../api/client.ts';
import { type Draft, sampleOf } from '../draft.ts';

export type Preview = {
  /** The last PDF that could be made. */
  pdf: Blob | null;
  pages: number;
  durationMs: number;
  /** Why the present draft cannot be shown. */
  error: Error | null;
  isUpdating: boolean;
  /** When the draft of this preview was changed, by performance.now(). */
  changedAt: number;
};

/** Long enough to leave most letters of a word out, short enough to follow the writing. */
const debounceMs = 120;
const retryMs = 1_000;

const none: Preview = { pdf: null, pages: 0, durationMs: 0, error: null, isUpdating: true, changedAt: 0 };

/**
 * How often a preview is tried again after this error, also one of too many requests, or of an older request that arrived
 * late and replaced this one. Less often if the service is not available: the draft itself may crash the browser, which
 * other accounts use, too.
 */
const maxRetriesAfter = (error: unknown): number => {
  if (!(error instanceof ApiError)) return 0;
  if (error.error === 'service_unavailable') return 2;
  return isTemporary(error) || error.status === 429 || error.error === 'preview_replaced' ? 5 : 0;
};

const requestPreview = async (draft: Draft, editor: string, signal: AbortSignal): Promise<Partial<Preview>> => {
  const sample = sampleOf(draft);
  if ('problem' in sample) throw new Error(sample.problem);
  const { content, variables, labels, default_options } = draft;
  const body = { content, variables, labels, default_options, data: sample.data, editor };
  const headers = { accept: 'application/pdf' };
  const response = await requestRaw('POST', '/api/v1/templates/preview', { body, signal, headers });
  return {
    pdf: await response.blob(),
    pages: Number(response.headers.get('x-page-count')),
    durationMs: Number(response.headers.get('x-duration-ms')),
  };
};

/** The preview of a draft, a moment after each change. After an error the last preview stays. */
export const usePreview = (draft: Draft): Preview => {
  const [preview, setPreview] = useState(none);
  const [attempt, setAttempt] = useState(0);
  const editor = useRef(crypto.randomUUID());
  const isFirst = useRef(true);
  const changedAt = useRef(0);
  const { content, sample_data, variables, labels, default_options } = draft;
  useEffect(() => {
    changedAt.current = performance.now();
    setAttempt(0);
  }, [content, sample_data, variables, labels, default_options]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let retry: ReturnType<typeof setTimeout> | undefined;
    setPreview((last) => ({ ...last, isUpdating: true }));
    const request = async (): Promise<void> => {
      isFirst.current = false;
      try {
        const made = await requestPreview(draft, editor.current, signal);
        if (signal.aborted) return;
        setPreview((last) => ({ ...last, ...made, error: null, isUpdating: false, changedAt: changedAt.current }));
      } catch (error) {
        if (signal.aborted) return;
        if (attempt < maxRetriesAfter(error)) {
          retry = setTimeout(() => setAttempt(attempt + 1), retryMs);
          return;
        }
        setPreview((last) => ({ ...last, error: error as Error, isUpdating: false }));
      }
    };
    const timer = setTimeout(() => void request(), isFirst.current || attempt > 0 ? 0 : debounceMs);
    return () => {
      clearTimeout(timer);
      clearTimeout(retry);
      controller.abort();
    };
  }, [content, sample_data, variables, labels, default_options, attempt]);
  return preview;
};
