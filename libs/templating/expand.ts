import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { checkTemplate } from './check.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import { parseTemplate } from './parse.ts';
import { compileProgram } from './compile.ts';
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

/**
 * Expands a template with the data. The document has at most `maxOutputBytes` bytes of UTF-8.
 * @throws ApiError invalid_template_syntax where `analyse` finds syntax errors; template_render_error where the data
 * lacks a value (`missing_variable`, `line`), has an unsuitable value (`variable`, `line`), or the document or the work
 * is too large
 */
export const expand = (request: ExpansionRequest): string => {
  const { content, contentHash, data, variables, locale, timeZone, maxOutputBytes, limits = templateLimits } = request;
  const { execute } = getCompiledTemplate(content, contentHash, limits);
  checkVariables(data, variables);
  const state = startExpansion({ data, locale, timeZone, maxOutputBytes, maxSteps: limits.steps });
  execute(rootScope(data), state);
  return outputText(state);
};
