import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, invalidField } from '#contracts/http/api-error.ts';
import { runWithTimeout } from '#libs/concurrency/timeout.ts';
import type { Session } from '../cdp/connection.ts';
import { evaluate, EvaluationFailed } from './evaluate.ts';

const pollMs = 50;

const notFoundError = (selector: string, isRunning: boolean): ApiError =>
  ApiError.of(
    'selector_not_found',
    isRunning
      ? `No element matched wait_for_selector ("${selector}") within the processing time. Check the selector in the ` +
          'console of a browser; diagnostics show the messages of the scripts that should create the element.'
      : `No element matches wait_for_selector ("${selector}"). The document has no scripts, so it was checked once.`,
    { wait_for_selector: selector },
  );

const refusedError = (selector: string): ApiError =>
  invalidField('wait_for_selector', `wait_for_selector is not a selector that the browser accepts: "${selector}".`);

const matches = async (session: Session, selector: string): Promise<boolean> => {
  // JSON is a literal of JavaScript, so the selector cannot become code.
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`;
  try {
    return (await evaluate(session, expression)) === true;
  } catch (error) {
    throw error instanceof EvaluationFailed ? refusedError(selector) : error;
  }
};

/**
 * Waits until an element matches the selector, until `deadline` by performance.now(); without scripts it checks once.
 * @throws ApiError selector_not_found; invalid_request if the browser does not accept the selector
 */
export const waitForSelector = async (
  session: Session,
  selector: string,
  { scripts, signal, deadline }: { scripts: 'on' | 'off'; signal: AbortSignal; deadline: number },
): Promise<void> => {
  if (scripts === 'off') {
    if (await matches(session, selector)) return;
    throw notFoundError(selector, false);
  }
  await runWithTimeout(
    Math.max(0, deadline - performance.now()),
    async (timeoutSignal) => {
      while (!(await matches(session, selector))) await pause(pollMs, undefined, { signal: timeoutSignal });
    },
    { signal, createError: () => notFoundError(selector, true) },
  );
};
