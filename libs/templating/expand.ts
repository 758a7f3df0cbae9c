import { LRUCache } from 'lru-cache';
import { Problem } from '#contracts/http/problem.ts';
import type { Variable } from '#contracts/http/templates.ts';
import { checkTemplate } from './check.ts';
import { limits } from './limits.ts';
import { parseTemplate } from './parse.ts';
import { prepareProgram } from './program.ts';
import { document, startRun } from './run.ts';
import { topScope } from './scope.ts';
import type { Step } from './step.ts';
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
};

const ready = new LRUCache<string, Step>({ maxSize: limits.cachedCharacters, max: 1000 });

const prepareContent = (content: string): Step => {
  const parsed = parseTemplate(content);
  const fault = 'fault' in parsed ? parsed.fault : checkTemplate(parsed.program).faults[0];
  if (fault || 'fault' in parsed) throw Problem.of('invalid_template_syntax', fault?.message ?? '', fault && { line: fault.line });
  return prepareProgram(parsed.program);
};

const readyFor = (content: string, contentHash: string): Step => {
  const known = ready.get(contentHash);
  if (known) return known;
  const made = prepareContent(content);
  ready.set(contentHash, made, { size: content.length + 1 });
  return made;
};

/**
 * Fills a template's placeholders from the data and gives the document, of at most `maxOutputBytes` bytes of UTF-8.
 * Fails with `invalid_template_syntax` for a template that `analyse` finds syntax errors in, and with `template_render_error` where the
 * data lacks a value (`missing_variable`, `line`) or holds an unfit one (`variable`, `line`), or where the document or the work grows too large.
 */
export const expand = ({ content, contentHash, data, variables, locale, timeZone, maxOutputBytes }: Expansion): string => {
  const fill = readyFor(content, contentHash);
  checkVariables(data, variables);
  const run = startRun({ data, locale, timeZone, maxOutputBytes });
  fill(topScope(data), run);
  return document(run);
};
