import { LRUCache } from 'lru-cache';
import { ApiError } from '#contracts/http/api-error.ts';
import type { VariableDeclaration } from '#contracts/http/templates.ts';
import { checkTemplate } from './check.ts';
import { type TemplateLimits, templateLimits } from './limits.ts';
import { parseTemplate } from './parse.ts';
import { compileProgram } from './compile.ts';
import { outputText, startExpansion, type Step, rootScope } from './expansion.ts';
import { checkVariables } from './variables.ts';

export type ExpansionRequest = {
  content: string;
  /** Names the content: equal hashes mean equal contents. */
  contentHash: string;
  data: unknown;
  variables: VariableDeclaration[];
  /** Language tag, for amounts and for the names of months and days. */
  locale: string;
  /** IANA time zone that date-times are shown in. */
  timeZone: string;
  maxOutputBytes: number;
  /** Narrower ones than those that hold for every template, for an expansion that must not take long. */
  limits?: TemplateLimits;
};

const compiledTemplates = new LRUCache<string, CompiledTemplate>({
  maxSize: templateLimits.cachedBytes,
  sizeCalculation: ({ bytes }) => bytes,
});

type CompiledTemplate = { execute: Step; bytes: number };

/** What a placeholder takes in memory once it is compiled, measured. */
const bytesPerTag = 1300;

const compileTemplate = (content: string, bounds: TemplateLimits): CompiledTemplate => {
  const parsed = parseTemplate(content, bounds);
  const fault = 'error' in parsed ? parsed.error : checkTemplate(parsed.program).errors[0];
  if (fault || 'error' in parsed)
    throw ApiError.of('invalid_template_syntax', fault?.message ?? '', fault && { line: fault.line });
  return { execute: compileProgram(parsed.program), bytes: 1 + content.length + bytesPerTag * parsed.tags };
};

const getCompiledTemplate = (content: string, contentHash: string, bounds: TemplateLimits): CompiledTemplate => {
  const known = compiledTemplates.get(contentHash);
  if (known) return known;
  const made = compileTemplate(content, bounds);
  compiledTemplates.set(contentHash, made);
  return made;
};

/**
 * Fills a template's placeholders from the data and gives the document, of at most `maxOutputBytes` bytes of UTF-8.
 * Fails with `invalid_template_syntax` for a template that `analyse` finds syntax errors in, and with
 * `template_render_error` where the data lacks a value (`missing_variable`, `line`) or holds an unfit one (`variable`,
 * `line`), or where the document or the work grows too large.
 */
export const expand = (expansion: ExpansionRequest): string => {
  const { content, contentHash, data, variables, locale, timeZone, maxOutputBytes, limits = templateLimits } = expansion;
  const { execute } = getCompiledTemplate(content, contentHash, limits);
  checkVariables(data, variables);
  const run = startExpansion({ data, locale, timeZone, maxOutputBytes, maxSteps: limits.steps });
  execute(rootScope(data), run);
  return outputText(run);
};
