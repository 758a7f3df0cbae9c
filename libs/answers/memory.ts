import type { Answer, Answers } from './port.ts';

/** Answers within one process. */
export const openMemoryAnswers = (): Answers => {
  const waiting = new Map<string, (answer: Answer | null) => void>();
  return {
    wait: (renderId, signal) =>
      new Promise((resolve) => {
        const settle = (answer: Answer | null): void => {
          waiting.delete(renderId);
          signal.removeEventListener('abort', giveUp);
          resolve(answer);
        };
        const giveUp = (): void => settle(null);
        if (signal.aborted) return resolve(null);
        signal.addEventListener('abort', giveUp);
        waiting.set(renderId, settle);
      }),
    give: (renderId, answer) => waiting.get(renderId)?.(answer),
  };
};
