import { streams } from '#contracts/names.ts';
import type { Answer, Answers } from '#libs/answers/port.ts';
import { isRecent } from '#libs/clock/clock.ts';
import { nextMadeAgain, render } from '#libs/domain/render.ts';
import { causedBy, load, type Log } from '#application/handling/handle.ts';
import type { RecordedEvent } from '#libs/event-store/port.ts';

/** In milliseconds: how long nobody looks, how often is looked then, and how long a PDF that is made again may take. */
export type Patience = { firstMs: number; everyMs: number; againMs: number };
const usualPatience: Patience = { firstMs: 3_000, everyMs: 1_000, againMs: 30_000 };

const madeTooOften: Answer = { status: 'FAILED', fault: { name: 'service_unavailable', message: 'The PDF was made and could not be handed over. Send the request anew.', extra: { retry_after: 5 } } };

/** Whether a render's PDF was asked for again in the last `againMs` milliseconds and is not there yet. */
export const isMadeAgainNow = (history: readonly RecordedEvent[], now: Date, againMs = usualPatience.againMs): boolean => {
  const last = history.findLast(({ type }) => type === 'PdfRequestedAgain' || type === 'PdfMadeAgain');
  return last?.type === 'PdfRequestedAgain' && isRecent(last.metadata.occurredAt, now, againMs);
};

/** The outcome that the log holds, if there is one to answer with. A PDF that was made and not handed over is asked for again: `wasDone` says that it is no longer under way. */
const askLog = async (log: Log, id: string, wasDone: boolean, { againMs }: Patience): Promise<Answer | 'done' | null> => {
  const { history, aggregate } = await load(log, render, streams.render(id));
  const failed = history.find((event) => event.type === 'RenderFailed');
  if (failed) return { status: 'FAILED', fault: failed.data.fault };
  if (aggregate.state.status !== 'DONE') return null;
  if (!wasDone || isMadeAgainNow(history, log.now(), againMs)) return 'done';
  const count = nextMadeAgain(aggregate.state);
  if (count === null) return madeTooOften;
  await aggregate.execute({ type: 'requestPdfAgain', count }, causedBy(history.at(-1)!, 'api'));
  return 'done';
};

type Waiting = { id: string; since: number; wasDone: boolean; resolve: (answer: Answer) => void };

const refused = (reason: string): Answer => ({ status: 'FAILED', fault: { name: 'service_unavailable', message: reason, extra: { retry_after: 5 } } });

/**
 * Answers that are not lost with the message or the process that brought them: who has waited for long is told what the log says,
 * or why callers are not served now, which `closed` tells. `close` ends the looking.
 */
export const withLog = (answers: Answers, log: Log, patience: Patience = usualPatience, closed: () => string | null = () => null): Answers & { close(): void } => {
  const waiting = new Set<Waiting>();
  const lookFor = async (one: Waiting): Promise<void> => {
    const reason = closed();
    if (reason !== null) return one.resolve(refused(reason));
    const found = await askLog(log, one.id, one.wasDone, patience).catch(() => null);
    if (found === 'done') one.wasDone = true;
    else if (found) one.resolve(found);
  };
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    const before = performance.now() - patience.firstMs;
    for (const one of waiting) if (one.since <= before) await lookFor(one);
    looking = false;
  };
  let timer: NodeJS.Timeout | undefined;
  const settle = (one: Waiting): void => {
    waiting.delete(one);
    if (waiting.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    wait: (id, signal) => {
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      const one: Waiting = { id, since: performance.now(), wasDone: false, resolve };
      waiting.add(one);
      timer ??= setInterval(() => void look(), patience.everyMs);
      void answers.wait(id, signal).then(resolve, () => undefined);
      return promise.finally(() => settle(one));
    },
    give: (id, answer) => answers.give(id, answer),
    close: () => clearInterval(timer),
  };
};
