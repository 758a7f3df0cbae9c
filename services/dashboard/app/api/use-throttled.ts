import { useEffect, useRef } from 'react';

const defaultIntervalMs = 1_000;
const firstDelayMs = 150;

/** See `useThrottled`. */
const createThrottle = (act: () => void, intervalMs: number) => {
  let timer: number | undefined;
  let lastAt = -Infinity;
  const run = (): void => {
    if (document.hidden) return document.addEventListener('visibilitychange', run, { once: true });
    timer = undefined;
    lastAt = performance.now();
    act();
  };
  return {
    call: (): void => {
      timer ??= window.setTimeout(run, Math.max(firstDelayMs, lastAt + intervalMs - performance.now()));
    },
    cancel: (): void => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', run);
      timer = undefined;
    },
  };
};

/**
 * Calls `act` soon after the first call and then at most once in the interval, in milliseconds, the last time after the
 * last call. While the page is hidden it waits, because each tab in the background would send requests that are not seen.
 */
export const useThrottled = (act: () => void, intervalMs = defaultIntervalMs): (() => void) => {
  const current = useRef(act);
  useEffect(() => {
    current.current = act;
  });
  const throttle = useRef<ReturnType<typeof createThrottle>>(undefined);
  useEffect(() => {
    const created = createThrottle(() => current.current(), intervalMs);
    throttle.current = created;
    return created.cancel;
  }, [intervalMs]);
  return () => throttle.current?.call();
};
