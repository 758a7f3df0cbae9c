import type { ConformanceViolation } from '#contracts/http/conformance.ts';
import type { FacturXViolation } from '#contracts/http/factur-x.ts';
import { UsageError } from '../process/command-context.ts';

type Violation = ConformanceViolation | FacturXViolation;
type ErrorEntry = { message: string; line?: number; violations?: Violation[]; total_violations?: number };

/** The body of an error of `POST /render`. */
export type ErrorResponse = ErrorEntry & {
  error: string;
  part?: string;
  valid_values?: string[];
  errors?: ErrorEntry[];
};

/** The service refused a document; `response` is its error. */
export class RenderError extends UsageError {
  readonly response: ErrorResponse;

  constructor(message: string, response: ErrorResponse) {
    super(message);
    this.response = response;
  }
}

/** The error of a document whose type is unknown, in the words of the command line. */
export const unknownTypeText = ({ valid_values: types = [] }: ErrorResponse, file: string): string =>
  /\.pdf$/i.test(file)
    ? `${file} is a PDF already. Name several files to put it into one PDF with others.`
    : `The type of ${file} is unknown. Name it with --input-type: ${types.join(', ')}.`;

const violationText = (violation: Violation): string => {
  const { element, message } = violation;
  const [line, rule] = 'line' in violation ? [violation.line, violation.rule] : [null, violation.standard];
  const place = [line === null ? null : `line ${line}`, element].filter((part) => part !== null).join(', ');
  return `  ${place === '' ? '' : `${place}: `}${message}${rule === null ? '' : ` (${rule})`}`;
};

const violationLines = ({ violations = [], total_violations: total = violations.length }: ErrorEntry): string[] => {
  if (violations.length === 0) return [];
  const all = `${total} ${total === 1 ? 'violation' : 'violations'}:`;
  const title = violations.length === total ? all : `The first ${violations.length} of ${all}`;
  return [title, ...violations.map(violationText)];
};

/** The messages and violations of an error, with the lines of the file that it is about. */
export const errorText = (response: ErrorResponse, file: string): string => {
  const beforeLine = file === '-' ? 'Line' : `${file}, line`;
  const lines = (response.errors ?? [response]).flatMap((error) => [
    error.line === undefined || error.message.includes(`line ${error.line}`)
      ? error.message
      : `${beforeLine} ${error.line}: ${error.message}`,
    ...violationLines(error),
  ]);
  return lines.join('\n');
};
