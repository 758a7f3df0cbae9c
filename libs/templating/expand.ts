import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { checkTemplate } from './check.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import type { Labels } from './labels.ts';
import { parseTemplate } from './parse.ts';
import { compileProgram } from './compile.ts';
import { type DataProblems, errorOfProblems, TooManyProblems } from './data-problems.ts';
import { outputText, startExpansion, type Step, rootScope } from './expansion.ts';
import { checkVariables } from './declared-variables.ts';

export type ExpansionRequest = {
  content: string;
  /** Identifies the content: equal hashes mean equal contents. */
  contentHash: string;
  data: unknown;
  variables: VariableDeclaration[];
  /** Language tag for amounts and for the names of months and days. */
  locale: string;
  /** IANA time zone for date-times. */
  timeZone: string;
  /** The labels in the language of the document. */
  labels?: Labels | undefined;
  maxOutputBytes: number;
  /** Smaller limits than the default ones, for an expansion that must be quick. */
  limits?: TemplateLimits;
};

const compiledTemplates = new LRUCache<string, CompiledTemplate>({
  maxSize: templateLimits.cachedBytes,
  sizeCalculation: ({ bytes }) => bytes,
});

type CompiledTemplate = { execute: Step; bytes: number };

/** Measured memory of one compiled placeholder. */
const bytesPerTag = 1300;

const compileTemplate = (content: string, limits: TemplateLimits): CompiledTemplate => {
  const parsed = parseTemplate(content, limits);
  const error = 'error' in parsed ? parsed.error : checkTemplate(parsed.program).errors[0];
  if (error || 'error' in parsed)
    throw ApiError.of('invalid_template_syntax', error?.message ?? '', error && { line: error.line });
  return { execute: compileProgram(parsed.program), bytes: 1 + content.length + bytesPerTag * parsed.tags };
};

const getCompiledTemplate = (content: string, contentHash: string, limits: TemplateLimits): CompiledTemplate => {
  const cached = compiledTemplates.get(contentHash);
  if (cached) return cached;
  const compiled = compileTemplate(content, limits);
  compiledTemplates.set(contentHash, compiled);
  return compiled;
};

const expandCompiled = (execute: Step, request: ExpansionRequest, problems: DataProblems): string => {
  const { data, variables, locale, timeZone, labels = {}, maxOutputBytes, limits = templateLimits } = request;
  checkVariables(data, variables, problems);
  const state = startExpansion({ data, locale, timeZone, labels, maxOutputBytes, maxSteps: limits.steps, problems });
  execute(rootScope(data), state);
  return outputText(state);
};

/**
 * Expands a template with the data. The document has at most `maxOutputBytes` bytes of UTF-8.
 * @throws ApiError invalid_template_syntax where `analyse` finds syntax errors; template_render_error where the
 * document or the work is too large, or where the data lacks values (`missing_variable`, `missing_variables`) or has
 * unsuitable values (`variable`): the first problem with its `line`, and all in `errors`
 */
export const expand = (request: ExpansionRequest): string => {
  const { content, contentHash, limits = templateLimits } = request;
  const { execute } = getCompiledTemplate(content, contentHash, limits);
  const problems: DataProblems = new Map();
  try {
    const document = expandCompiled(execute, request, problems);
    if (problems.size === 0) return document;
  } catch (error) {
    // With problems, the expansion also ends when it reaches a limit.
    if (problems.size === 0 || !(error instanceof ApiError || error instanceof TooManyProblems)) throw error;
  }
  throw errorOfProblems([...problems.values()]);
};
