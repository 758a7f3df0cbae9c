import type { Protocol } from 'devtools-protocol';
import type { Session } from '../cdp/connection.ts';

/** An expression of the service threw an error in the page: by a defect, or because a script changed what it calls. */
export class EvaluationFailed extends Error {
  override readonly name = 'EvaluationFailed';
}

/**
 * `document` without the names of forms and images, which hide its members (HTML, 3.1.7 "DOM tree accessors"). Taken from
 * its own prototype, because a script may define a global `Document`.
 */
const ownDocument = `new Proxy({}, { get: (_, name) => {
  const value = Reflect.get(Object.getPrototypeOf(document), name, document);
  return typeof value === 'function' ? value.bind(document) : value;
} })`;

const describe = ({ text, exception }: Protocol.Runtime.ExceptionDetails): string =>
  (exception?.description ?? text).split('\n')[0]!.slice(0, 300);

/**
 * The value of an expression in the page, as JSON. `timeout` is in milliseconds, by default without limit.
 * @throws EvaluationFailed
 */
export const evaluate = async (
  session: Session,
  expression: string,
  { timeout }: { timeout?: number } = {},
): Promise<unknown> => {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `((document) => (${expression}))(${ownDocument})`,
    returnByValue: true,
    ...(timeout === undefined ? {} : { timeout }),
  });
  if (exceptionDetails) throw new EvaluationFailed(describe(exceptionDetails));
  return result.value;
};

/** The same; undefined if the expression fails. For what a document can be printed without. */
export const evaluateIfPossible = (session: Session, expression: string): Promise<unknown> =>
  evaluate(session, expression).catch((error: unknown) => {
    if (error instanceof EvaluationFailed) return undefined;
    throw error;
  });
