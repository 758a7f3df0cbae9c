import { ApiError, combineErrors } from '#contracts/http/api-error.ts';
import { templateLimits } from './limits.ts';
import { truncateForMessage } from './messages.ts';

/**
 * A missing or unsuitable value in the data. `path` is the path from the top of the data: each path is reported once.
 * `line` is the line of the template that needs the value, if one does.
 */
export type DataProblem = {
  path: string;
  line?: number;
  message: string;
  extra: { missing_variable: string } | { variable: string };
};

/** The problems of one expansion, by their paths. */
export type DataProblems = Map<string, DataProblem>;

/** Ends an expansion that has found as many problems as are reported. */
export class TooManyProblems extends Error {}

const shortened = (path: string): string => path.slice(0, templateLimits.pathCharacters);

/** @throws TooManyProblems with the last problem that is reported */
export const addProblem = (problems: DataProblems, problem: DataProblem): void => {
  const key = shortened(problem.path);
  const known = problems.get(key);
  if (known && known.line === undefined && problem.line !== undefined) known.line = problem.line;
  if (!known) problems.set(key, problem);
  if (problems.size >= templateLimits.problems) throw new TooManyProblems();
};

/** The data lacks a value. `source` is the path in the template. */
export const missingValue = (source: string, path: string, line: number): DataProblem => {
  const where = path === '' || path === source ? '' : ` (${truncateForMessage(path)})`;
  return {
    path: path || source,
    line,
    message: `The data has no value for "${truncateForMessage(source)}"${where}, which line ${line} of the template needs.`,
    extra: { missing_variable: shortened(source) },
  };
};

/** The data has a value that the template cannot use. `reason` says what is wrong and what is allowed. */
export class UnsuitableValue extends Error {
  readonly source: string;
  readonly line: number;

  constructor(source: string, line: number, reason: string) {
    super(reason);
    this.source = source;
    this.line = line;
  }

  toProblem(path: string): DataProblem {
    const where = path === '' || path === this.source ? '' : `, for ${truncateForMessage(path)}`;
    return {
      path: path || this.source,
      line: this.line,
      message: `Line ${this.line} of the template${where}: ${this.message}`,
      extra: { variable: shortened(this.source) },
    };
  }
}

const toApiError = ({ line, message, extra }: DataProblem): ApiError =>
  ApiError.of('template_render_error', message, { ...extra, ...(line === undefined ? {} : { line }) });

/** The paths without value: as many as fit into the length that an error may have. */
const missingPaths = (problems: DataProblem[]): string[] => {
  let characters = 0;
  return problems.flatMap(({ path: fullPath, extra }) => {
    if (!('missing_variable' in extra)) return [];
    const path = shortened(fullPath);
    characters += path.length;
    return characters <= templateLimits.missingPathCharacters ? [path] : [];
  });
};

/** One error for all problems, of which there is at least one. */
export const errorOfProblems = (problems: DataProblem[]): ApiError => {
  const [first, ...others] = problems.map(toApiError);
  const combined = combineErrors([first!, ...others]);
  const missing = missingPaths(problems);
  if (missing.length === 0) return combined;
  const { name, message, extra } = combined.fields;
  return ApiError.from({ name, message, extra: { ...extra, missing_variables: missing } });
};
