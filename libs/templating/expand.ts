import { LRUCache } from 'lru-cache';
import { Problem } from '#contracts/http/problem.ts';
import type { Variable } from '#contracts/http/templates.ts';
import { checkTemplate } from './check.ts';
import { type Bounds, limits } from './limits.ts';
import { parseTemplate } from './parse.ts';
import { prepareProgram } from './program.ts';
import { document, startRun, type Step, topScope } from './run.ts';
import { checkVariables } from './variables.ts';

export type Expansion = {
  content: string;
  /** Names the content: equal hashes mean equal contents. */
  contentHash: string;
  data: unknown;
  variables: Variable[];
  /** Language tag, for amounts and for the names of months and days. */
  locale: string;
  /** IANA time zone that date-times are shown in. */
  timeZone: string;
  maxOutputBytes: number;
  /** Narrower ones than those that hold for every template, for an expansion that must not take long. */
  bounds?: Bounds;
};

const ready = new LRUCache<string, Compiled>({ maxSize: limits.cachedBytes, sizeCalculation: ({ bytes }) => bytes });

type Compiled = { fill: Step; bytes: number };

/** What a placeholder takes in memory once it is compiled, measured. */
const bytesPerTag = 1300;

const compile = (content: string, bounds: Bounds): Compiled => {
  const parsed = parseTemplate(content, bounds);
  const fault = 'fault' in parsed ? parsed.fault : checkTemplate(parsed.program).faults[0];
  if (fault || 'fault' in parsed) throw Problem.of('invalid_template_syntax', fault?.message ?? '', fault && { line: fault.line });
  return { fill: prepareProgram(parsed.program), bytes: 1 + content.length + bytesPerTag * parsed.tags };
};

const compiledFor = (content: string, contentHash: string, bounds: Bounds): Compiled => {
  const known = ready.get(contentHash);
  if (known) return known;
  const made = compile(content, bounds);
  ready.set(contentHash, made);
  return made;
};

/**
 * Fills a template's placeholders from the data and gives the document, of at most `maxOutputBytes` bytes of UTF-8.
 * Fails with `invalid_template_syntax` for a template that `analyse` finds syntax errors in, and with
 * `template_render_error` where the data lacks a value (`missing_variable`, `line`) or holds an unfit one (`variable`,
 * `line`), or where the document or the work grows too large.
 */
export const expand = (expansion: Expansion): string => {
  const { content, contentHash, data, variables, locale, timeZone, maxOutputBytes, bounds = limits } = expansion;
  const { fill } = compiledFor(content, contentHash, bounds);
  checkVariables(data, variables);
  const run = startRun({ data, locale, timeZone, maxOutputBytes, maxSteps: bounds.steps });
  fill(topScope(data), run);
  return document(run);
};
